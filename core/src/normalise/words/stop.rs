//! Stop words: frequent function words of the languages of most posts, folded. They are excluded from terms only;
//! searches find them. The list is short on purpose: words that are usual in a topic are not news anyway, so it matters
//! only when another language appears.

use std::collections::HashSet;
use std::sync::LazyLock;

/// By language: English, Spanish, Portuguese, French, Italian, German, Dutch, Scandinavian, Polish, Russian and
/// Ukrainian, Turkish, Indonesian, Arabic and Persian, Hindi, Greek; last, words typical of posts.
const WORDS: &[&str] = &[
    "a about after again all also am an and any are as at be because been before being both but by can cannot could did do \
     does doing done dont down each even ever every few for from further get gets getting go goes going gonna got had has \
     have having he her here hers him his how i if im in into is isnt it its ive just know like lot made make makes many may \
     me might more most much must my near no nor not now of off on once one only or other our out over own per really right said \
     same say says see she should since so some still such than that thats the their them then there these they thing things \
     think this those though through to too two under until up upon us very via want was we well were what when where which \
     while who whom whose why will with within without would yes yet you your youre yours today tonight tomorrow yesterday \
     day days during time way back good new people please come first last next never always already around let man need u ur \
     something someone everyone anyone anything everything nothing lets put take than wont cant didnt doesnt",
    "al algo alguien ante antes aqui asi aun aunque bien cada como con contra cual cuando de del desde donde dos durante el \
     ella ellas ellos en entre era eran eres es esa ese eso esta estaba estado estamos estan estar este esto estos fue fueron \
     ha hace hacer hacia han hasta hay he hoy la las le les lo los mas me mi mientras mis mucho muy nada ni no nos nosotros o \
     otra otro otros para pero poco por porque pues que quien se sea segun ser si sido sin sobre solo son soy su sus tambien \
     tan tanto te tenemos tener tengo ti tiene tienen toda todas todo todos tu tus un una uno unos va van vamos ver vez voy y \
     ya yo",
    "ao aos aquele as ate com da das de dela dele depois do dos e ela elas ele eles em entre era essa esse esta estao estava \
     este eu foi foram ha isso isto ja la lhe mais mas me mesmo meu minha muito na nao nas nem no nos nossa nosso num numa o \
     os ou para pela pelo por pra qual quando que quem sao se sem ser seu sua so tambem te tem um uma vai voce voces vou",
    "ai alors apres au aussi aux avant avec avoir c ca car ce ceci cela ces cet cette chez comme d dans de depuis des deux \
     donc du elle elles en encore entre est et etait ete etre eu fait faire il ils j je l la le les leur leurs lui m ma mais \
     me meme mes moi moins mon n ne ni nos notre nous on ont ou par pas peu peut plus pour pourquoi qu quand que qui quoi s \
     sa sans se sera ses si son sont sous sur ta te tes toi ton tous tout toute toutes tres tu un une va vos votre vous y",
    "a ad agli ai al alla alle allo anche ancora c che chi ci come con cosa cosi da dagli dai dal dall dalla dalle de degli \
     dei del dell della delle dello di dopo dove due e ed era essere fa fatto fra gia gli ha hai hanno ho i il in io l la le \
     lei li lo loro ma mi mia mio molto ne negli nei nel nell nella nelle no noi non o ogni oggi ora per perche piu poi prima \
     qua quando quella quelli quello questa queste questi questo qui sara se sei sempre senza si sia siamo solo sono sta \
     stata stato su sua sugli sui sul sull sulla sulle suo te ti tra tu tutta tutti tutto un una uno va vi voi",
    "aber alle allem allen alles als also am an ander auch auf aus bei bin bis bist da damit dann das dass dein dem den denn \
     der des dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es \
     etwas euch euer fur gegen gibt habe haben hat hatte hatten heute hier hin ich ihm ihn ihnen ihr ihre im immer in ins ist \
     ja jede jeder jetzt kann kein keine konnen machen man mehr mein mich mir mit muss nach nicht nichts noch nun nur ob oder \
     ohne schon sehr sein seine seit selbst sich sie sind so soll sollte uber um und uns unser unter vom von vor war waren \
     was weil wenn wer werden wie wieder will wir wird wo zu zum zur zwei zwischen",
    "aan al alleen als ben bij daar dan dat de deze die dit doen door dus een en er gaan geen had hebben heb heeft het hier \
     hij hoe hun ik in is je jij kan kunnen maar me meer met mij mijn moet na naar niet nog nu of om onder ons ook op over \
     te tegen toch toen tot uit van veel voor waar wat we wel werd wie wij willen worden wordt ze zei zich zij zijn zo zonder \
     zou",
    "af alt at av blir da de dem den denne der det dette di din du eg eit ej eller en er et ett fra for fran ga han hadde har \
     hva hvis i icke ikke inte jag je jeg kan man med meg men mig min mot na nar ned nej nu og och ogsa om op opp oss pa sa \
     se sig sin ska skal som sig till til ud um under upp ut vad var ved vi vil var",
    "a ale bardzo bo byc byl bylo by ci co czy dla do gdy gdzie go i ich im ja jak jako je jego jej jest jestem juz ktora \
     ktore ktory ma mam mi mnie moj na nad nas nie nim o od on ona ono oraz po pod przed przez przy sa sie sobie ta tak \
     takze tam te tego ten tez to tu tych tylko ty w wiec wszystko z za ze",
    "а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его ее если есть еще ж же \
     за здесь и из или им их к как когда кто ли лишь меня мне может мои мой мы на надо нас не него нее нет ни них но ну о об \
     один он она они оно от очень по под после потому при про раз с сам свои свой себя сейчас со так такои также там те тем \
     то тогда того тоже только том тот ты у уже хоть чего чем что чтобы эта эти это этого этом этот я сегодня вчера который \
     які але або бо був була було бути вже ви він вона вони від для до за зі із й його її і її як якщо між на над не ні про \
     та так також там тут це цей ці ця що щоб є ще",
    "acaba ama ancak bana bazi belki ben beni benim bir biri biz bize bizim bu buna bunu bunun cok cunku da daha de degil diye \
     en gibi hem hep her hic icin ile ise kadar ki kim mi mu ne neden nasil o olan olarak oldu olsun on ona onlar onu onun \
     sen seni siz sonra su sey tum var ve veya ya yani yok",
    "ada adalah agar aja akan aku anda apa atau bagi bahwa banyak bisa buat bukan dalam dan dari dengan di dia gak ga harus \
     ini itu jadi jangan juga ka kalau kamu kami karena ke kita lagi lah lebih mau mereka nya oleh pada paling saat saja \
     sama sampai sangat saya sebagai sudah supaya tak tapi telah tetapi tidak udah untuk yang yg",
    "في من على الى إلى عن مع هذا هذه ذلك التي الذي ما لا لم لن ان أن إن كان كانت هو هي هم انا أنا نحن انت يا كل قد او أو ثم بعد قبل \
     حتى اذا إذا بين غير عند لكن ليس به بها له لها فيه فيها منه منها عليه اليوم و از به که در را با این آن برای تا هم یک است بود شد می",
    "का की के को में से है हैं और यह वह इस उस पर ने भी कि तो ही था थी थे हो कर एक नहीं लिए अब जो तक या",
    "και το να η ο τα τη την τησ του των τον τουσ στο στη στην για με απο δεν θα που ειναι τι οι μου σου αν ωσ μασ σασ ενα μια εχει",
    "rt amp gt lt quot nbsp http https www com org net html utm lol lmao omg haha hahaha jaja jajaja kkk wow hey hi hello ok \
     okay oh yeah nan null video photo pic foto watch read live",
];

static STOP: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| WORDS.iter().flat_map(|language| language.split_whitespace()).collect());

/// Whether a folded word is a stop word.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP.contains(word)
}

/// Pairs of hiragana in function words and endings of Japanese.
const FUNCTION_PAIRS: &str = "あっ ある あれ あの あり いう いた いっ いて いの いま いる うか うち うと うな うに うの うは うも うを おり \
     かっ かな かも から がら がっ きた きて きっ くだ くて くな けど けて こう ここ こち こと この これ こん ごろ さい さえ さん しい しか した \
     しっ して しな しま しょ しん すが すご する すれ せる せて せん そう そこ そし その それ そん たい たく たし ただ ため たら たり たの たと たは \
     たが だい だが だか だけ ださ だっ だと だよ だろ だの ちゃ ちょ ちら っく った って っと っぱ つつ てい てき てく てし てと ての ては ても てる \
     です でし では でも でる とい とう とか とき とこ とし とっ とて との とは とも どう どこ どの ども どれ どん ない なか なが なく なけ など \
     なに なの なら なり なる なん なっ なお にし にな にの には にも にお のか のが のだ ので のに のは のも のを はず はな べき ほう ほど ほん まし \
     ます ませ また まだ まっ まで まま まり みた みん めて めに もう もし もっ もの もら やっ よう よか よく よね より よる らい らし られ らの りま るか \
     るが ると るの るは るも るを れた れて れる れば ろう ろん わけ をし をす をも んか んが んだ んで んな んに んの んは んも んを ょう ょっ";

static FUNCTION: LazyLock<HashSet<&'static str>> = LazyLock::new(|| FUNCTION_PAIRS.split_whitespace().collect());

/// Whether two letters belong to a function word or an ending of Japanese.
pub(super) fn is_function_pair(pair: &str) -> bool {
    FUNCTION.contains(pair)
}

/// Hosts of link shorteners.
const SHORTENERS: [&str; 14] = [
    "t.co",
    "bit.ly",
    "goo.gl",
    "ow.ly",
    "tinyurl.com",
    "fb.me",
    "dlvr.it",
    "buff.ly",
    "is.gd",
    "j.mp",
    "wp.me",
    "lnkd.in",
    "ift.tt",
    "trib.al",
];

/// Whether a host is a link shortener.
pub(super) fn is_link_shortener(host: &str) -> bool {
    SHORTENERS.contains(&host)
}
