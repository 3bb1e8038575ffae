//! Word lists per language: the most common words, which identify the language (many were counted in the training
//! posts), and hand-picked negators and words of praise or blame. A final `*` matches any ending. Short on purpose:
//! they help where there is little training data; the weights cover the rest.

use super::Lang;

/// The word lists of a language.
pub(super) struct LanguageWords {
    pub(super) lang: Lang,
    /// The most common words.
    pub(super) common: &'static str,
    /// Words that negate what follows.
    pub(super) negators: &'static str,
    pub(super) good: &'static str,
    pub(super) bad: &'static str,
}

/// The languages the model was trained on.
pub(super) const WORDS: &[LanguageWords] = &[
    LanguageWords {
        lang: Lang::English,
        common: "the and you is it i'm for that my of this have with are on be not just in to at was we he she they your \
                 so what do don't it's can't all out up about get go going from who when how will would i me if but an as \
                 has had been their there now know think like want see time more than then one really did does why by our \
                 us her his him its am were them good new no can too some got today day love a im or may back make made \
                 after watch still come off first last next only big down here right well play watching should take said \
                 even before lol people coming because need vs better again work into way ever say much since against \
                 also start could free you're i'll i've getting being any ready says end most red every very until might \
                 please went long everyone another old days oh through thanks already little let though doing feel \
                 something thing things both call around thought we're they're he's she's that's there's what's let's \
                 didn't isn't wasn't won't couldn't wouldn't shouldn't haven't hasn't aren't ain't yes yeah ok okay hey \
                 hi hello everything nothing someone anyone many few same such between during without within under while \
                 where which whose over own use used using per via plus man men war hat die main son till ten pro met van \
                 care sun sam mine yet look looking looks give gives best worst great bad year years week month morning \
                 night tonight today's tomorrow yesterday world life always never almost keep makes making gonna wanna \
                 gotta ur u r lmao omg wow lost won win wins hate help hope wait stop trying told tell done goes gone \
                 high low part house home show open left two three four five sale date male pain chat sole real sort pour \
                 pan hero bravo fin actual star arm gift casual pie dice os n",
        negators: "not no never don't dont doesn't doesnt didn't didnt isn't isnt wasn't wasnt aren't arent can't cant cannot won't wont \
                   wouldn't wouldnt shouldn't shouldnt couldn't couldnt ain't aint nothing nobody none neither nor without hardly haven't \
                   hasn't hadn't weren't",
        good: "love* loving awesome amaz* great* good best better excellent fantastic wonderful* beautiful* brilliant* perfect* happy* \
               happiest excite* exciting enjoy* fun funny glad thank* congrat* win winning winner won nice cool sweet cute delight* \
               impress* outstanding superb incredible epic proud hope* bless* lucky yay hooray wow favorite favourite recommend* helpful \
               smile* laugh* haha* lol beautiful gorgeous success* improv* celebrat* thrill* pleas* adorable stunning legend* welcome \
               support* cheers stoked pumped",
        bad: "hate* awful terrible horribl* bad worst worse sad sadly disappoint* suck* annoy* angry anger stupid idiot* dumb ugly \
              disgust* fail* lose losing loser lost sick hurt* pain* kill* murder* dead death died crisis fear* scar* worr* ashamed shame* \
              pathetic ridiculous useless worthless garbage trash crap shit* fuck* bitch* damn hell racis* fascis* corrupt* liar* lying lies \
              lied fraud* scam* terror* attack* violen* war disaster* tragic* tragedy cry crying cries tired bored boring broke broken \
              bug* crash* delay* cancel* problem* wrong mess* nightmare unfortunately ugh wtf smh evil poor waste* ruin* upset furious rude \
              sorry miss missed miserabl* depress* lonely stress* threat* condemn* victim* arrest* destroy* hypocri* coward*",
    },
    LanguageWords {
        lang: Lang::German,
        common: "der die das und ist ich nicht du wir sie es ein eine einen dem den mit auf für von zu im auch noch aber \
                 nur schon so wie was wenn war bin bist hab habe hat mal mir mich dich dir uns ihr euch sich bei aus nach \
                 über heute morgen jetzt immer sind sein wird werden kann mehr dann doch da dass weil oder als um wieder \
                 man alle alles keine kein nen ne vom zum zur nochmal gerade halt eben am an bitte danke er vor hier \
                 haben macht machen ja sehr will gegen echt einfach meine gut guten endlich ach geht des diese dieser \
                 dieses voll neue neuen würde ab unter ins beim wohl viel wer wäre ohne warum denn wegen eigentlich sehen \
                 dafür hast mein dein nie seine einem etwas fast vielleicht ganz gleich gehen wo durch hätte lieber soll \
                 sollte weiß gerne wurde einer eines seit zeit könnte sonst nix nun einmal ihn ob neben bald müssen muss \
                 kannst sondern schön liebe leute jahr deutsch deutschland schlecht leider dank gar tag uhr erst keinen \
                 jeder jede jedes unser unsere ihre ihm ihnen diesen diesem hatte hatten gibt gab lassen kommt wirklich \
                 sieht können meinen scheiße natürlich richtig abend spielen besser dabei wollen bekommen sucht \
                 drauf genau stunden jahre gemacht selbst meinem meiner könnt kommen weniger lachen große schnell \
                 keiner spaß gutes besten langsam kleiner wann glückwunsch schöne fertig geld kaufen glück lernen \
                 irgendwie kleine schönes eher recht darf jahren schlafen wieso aufs zwischen neues minuten \
                 schmeckt freunde gedanken klingt großen seinen deinen gestern wollte scheint warten nächsten sagen \
                 gefühl üben zeigt dort hoffentlich werde fehlt bisher davon zurück schaut steht geht's geben \
                 bringt niemals wenig nehmen überhaupt letzte vielen trotz zusammen hasse anderen leicht musste \
                 jeden kleines wenigstens spricht laufen sollen jedenfalls unglaublich wollt interessiert draußen \
                 trifft verdient bekommt viele glücklich unfassbar erhält hilfe hilft sollten schreiben hoffe \
                 schaffen bestimmt gibts schlimm ersten letzten vorbei gesehen lecker dachte gesucht interessant \
                 fürs jemand ziemlich geburtstag wünsche direkt andere bisschen möglich waren leistung monaten \
                 erfolgreich denken verdammt glaube menschen komisch trotzdem weitere liegt wochenende deine \
                 verloren freut angeblich früher findet darauf läuft bleibt spielt hinter reden ganzen unbedingt \
                 sicherlich geworden geholt wissen gibt's funktioniert möchte gehört wusste konnte während reicht \
                 gewinnt prozent kaputt verspätet verspätung gestrichen ausgefallen kundendienst lieferung \
                 bestellung rechnung rückerstattung antwortet störung beschädigt verschwunden frechheit unverschämt \
                 hervorragend hervorragende katastrophe regierung gesetz umsatz steigt fällt koffer drucker paket \
                 niemand",
        negators: "nicht kein keine keinen keiner keinem nie niemals nichts niemand ohne weder ned net nix kaum",
        good: "gut gute guten guter gutes besser beste* toll* super schön* wunder* großartig* genial* liebe lieb* geil* klasse prima perfekt* \
               freu* glück* danke* herzlich* lecker* süß* spaß witzig* lustig* cool* hammer spitze erfolg* gewinn* gewonnen begeister* \
               empfehl* hübsch* nett* zufrieden stolz yeah juhu hurra lach* fantastisch* interessant* gefällt hoff* traumhaft* bravo \
               glückwunsch* willkommen gemütlich* entspannt* angenehm* endlich haha*",
        bad: "schlecht* schlimm* scheiß* scheiss* scheisse kack* mist hass* traurig* furchtbar* schrecklich* ekel* eklig* widerlich* \
              dumm* blöd* doof* idiot* arsch* nerv* ärger* wütend* wut angst krank* schmerz* weh tot tote* gestorben tod leider problem* \
              fehler* kaputt verloren verlier* langweil* müde enttäusch* peinlich* schade schande krieg terror* mord* unfall* angriff* \
              skandal* krise* furcht* hässlich* grauenhaft* katastroph* unmöglich* unverschämt* lüg* verarsch* fuck* mies* heul* weinen \
              kotz* allein einsam* streit* nazi* rassis* stress* verdammt* elend* armselig* lächerlich* opfer* bedroh* vermiss* pech hölle",
    },
    LanguageWords {
        lang: Lang::French,
        common: "le la les des est et une un que qui pour pas dans vous nous je tu il elle on ce c'est de du au aux sur \
                 avec mais ou où sont en ne plus j'ai par moi toi se sa son ses mon ma mes ça cette ces comme tout tous \
                 bien fait faire être avoir suis l'a d'un d'une quand si même très aussi été via contre entre sans leur \
                 y'a quoi rien à a ont ils elles nos vos notre votre leurs lui y encore peu bon bonne peut faut font doit \
                 mieux toujours jamais bientôt depuis après avant pendant sous selon chez n'est c'était qu'il qu'on \
                 qu'elle d'être l'on n'a n'y s'il m'a t'es oui non merci temps ans jour demain aujourd'hui hier monde \
                 pourquoi comment dont ici là donc alors car tes ton ta cet veut vais va vont étaient était sera serait \
                 eu voir dire trop beaucoup moins nouveau nouvelle grand petit deux toute toutes autre autres chaque quel \
                 quelle lors afin ainsi soit déjà eux vraiment juste j'aime personne parce",
        negators: "pas ne jamais rien aucun aucune sans ni personne n'est n'ai n'a n'y",
        good: "bon bonne bons bonnes bien mieux meilleur* super génial* excellent* parfait* magnifique* superbe* beau belle beaux belles \
               aime adore* amour merci bravo félicit* heureu* content* joie joli* sympa* cool formidable* merveill* fantastique* incroyable* \
               réussi* succès gagn* victoire* espoir espère drôle* rire ravi* fier fière plaisir chouette kiff* bisou* vive top intéressant* \
               innov* progrès protég* hâte solution* soutien* soutenir encourag* bienvenue haha* mdr",
        bad: "mauvais* mal pire nul nulle nuls merde* putain con cons connard* connerie* honte* honteu* triste* tristesse horrible* affreu* \
              catastroph* déteste* haine* haïr colère peur* crainte* danger* menace* problème* crise* mort morts morte tué* tuer guerre \
              terroris* attentat* victime* scandal* mensonge* menteu* mentir ridicul* pollu* accident* grave* échec* perdu* perdre pleur* \
              malheur* marre fatigu* ennui* énerv* dégoût* dégueu* chiant* chier sale raciste* fascis* idiot* imbécile* stupide* débile* \
              détruire destruction* détrui* désastr* inquiét* inquiet* douleur* souffr* impossible arnaque* déçu* décev* condamn* inadmissible* \
              hypocri* inutile* lamentable* pathétique* taxe*",
    },
    LanguageWords {
        lang: Lang::Italian,
        common: "il la che di e un una per non è sono con del della dei delle al alla nel nella mi ti si ci ma come anche \
                 se più da lo le gli i ho hai ha abbiamo questo questa quello quella cosa io tu lui lei noi voi loro sul \
                 sulla dal dalla tutto tutti tutte perché perchè quando dove poi ancora oggi domani sempre solo già fare \
                 fatto essere stato era bene così cui chi po' ne o dopo su ora qui mio mia tuo tua quanto senza a in \
                 contro alle dalle degli agli allo nello nelle nei negli sulle sui me te va fa sta sto sei siamo siete \
                 sia può deve devo no sì c'è vi ed anni vita grazie grande proprio tanto molto poco meno troppo dire \
                 detto invece però ogni qualcuno nessuno niente mai fra tra verso prima adesso allora ecco uno due cose \
                 casa lavoro giorno giorni sarà avere aveva hanno avete altri altro altra quelli quelle questi queste suo \
                 sua vostro nostro nostra miei vuole voglio vero bella bello buon buona ciao forse davvero stata stati \
                 persone com'è dov'è l'ho dell'italia l'italia",
        negators: "non né mai niente nulla nessun nessuno nessuna senza neanche nemmeno neppure",
        good: "bello bella belli belle bellissim* buon buono buona buoni buone ottim* bravo brava bravi brave bravissim* grande grandi \
               grazie amo amore adoro ador* felic* content* meglio migliore migliori perfett* splendid* stupend* meraviglios* fantastic* \
               magnific* eccellent* geni* vincere vinto vittori* vince successo speranza speriamo spero gioia piacere piace piacciono ridere \
               simpatic* dolce dolci carin* auguri complimenti evviva viva forza super fiducia sostegno appoggio interessant* fier* orgoglio* \
               divertent* onest* competent* ahah* haha*",
        bad: "brutt* mal male peggio peggior* merda* schifo schif* cazzo cazz* odio odi* triste tristezz* orribil* pessim* vergogn* vergognos* \
              stronz* coglion* idiot* stupid* cretin* scem* imbecill* ridicol* ladr* mafia mafios* corrott* corruzion* bugi* bugiard* falso \
              falsi crisi paur* mort* morire uccis* uccid* guerra terroris* attentat* vittim* scandal* problem* disastr* tragedi* fallit* \
              falliment* perso perdere perdut* piang* dolor* soffr* stanc* noi* noios* rabbia incazz* arrabbi* rompere rompi palle \
              basta tasse tassa poveri povero inutil* purtroppo delusion* delus* arrest* condann* fascist* massacr* suicid* ansia peccato \
              malat* male incapac* buffon*",
    },
    LanguageWords {
        lang: Lang::Portuguese,
        common: "que não de e o a os as é um uma do da dos das no na nos nas em para pra por com se mais mas eu você vc \
                 ele ela nós eles elas meu minha seu sua isso esse essa este esta aqui agora já só muito bem tem ter tá \
                 tô to está estou foi ser são quando como quem ao à até também tbm pq porque mesmo gente hoje vai vou \
                 fazer ver sem sobre nem ainda todo toda todos tudo pelo pela cara né aí lá era tão kkk kkkk kkkkk rsrs q \
                 n me te lhe dia ai ou pro pros sair acho ta tava tou tenho tinha temos sou somos assim sempre quero quer \
                 melhor depois antes nunca dele dela deles fala falar faz fez nada nossa nosso desse dessa disso nesse \
                 nessa pelos cada coisa sei sabe pode posso vem vez vida seria fosse fica ficar ficou deu dá sim muita \
                 muitos muitas pouco hj mto vcs vocês alguém ninguém amor bom mundo gosto ontem amanhã aquele aquela \
                 esses essas estes estas uns umas meus minhas nossos casa pessoas dizer será onde então após entre contra \
                 seus suas qual quais estava estão estamos assistir",
        negators: "não nao nunca nada ninguém ninguem nem nenhum nenhuma sem jamais n",
        good: "bom boa bons boas ótim* otim* melhor* lind* maravilh* amo amei ama amor adoro adorei ador* feliz* felic* alegr* parabéns \
               parabens obrigad* perfeit* excelente* incrível incrivel demais show top fofo fofa fofos gostos* delíci* delici* divertid* \
               legal gost* ganh* venc* vitóri* sucesso talent* torcendo emocion* lindíssim* sensacional* espetacular* fantástic* bela belo \
               queri* saudad* rainha diva arras* abençoad* sorriso rir hahaha* haha* viva mito orgulho beij* coração",
        bad: "ruim ruins péssim* pessim* pior piores horrível horrivel horrív* feio feia odeio odiei odi* ódio triste* tristeza chat* chato \
              chata merda* bosta porra caralho puta fdp lixo nojo nojent* vergonha* idiot* burr* imbecil* ridícul* ridicul* falsa falso mentir* \
              ladrão ladrao corrup* golp* crise problema* medo mort* morrer morreu matar guerra violên* violen* chor* dor dói sofr* cansad* \
              sono raiva irritante* irrit* perd* perdi saco aff afff infelizmente inútil inutil fracass* decepc* decepç* arrogant* nazi* \
              racis* fora doente* insuportável insuportavel metid* errad* erro acabou credo lament* tóxic*",
    },
    LanguageWords {
        lang: Lang::Spanish,
        common: "que de no la el y los las es un una por con para lo me te se le nos mi tu su pero como más mas si sí ya \
                 muy del al en yo él ella ellos esto esta este eso esa ese hay ha he has son soy eres está estoy estás \
                 fue ser hacer tengo tiene cuando quien porque qué cómo todo todos todas nada bien hoy mañana aquí \
                 también tan sin sobre hasta desde donde ni solo sólo siempre gracias día va voy a ver gente algo les \
                 pues o mejor quiero quiere así ahora hace hacía vida año años puedo puede mucho mucha muchos mis tus sus \
                 ir cosas menos era eran poco dos sea sé casa bueno buena estar estaba están estamos mundo tiempo después \
                 antes verdad vamos creo uno unos unas nunca alguien pasa da veo dice dicen decir tanto otro otra otros \
                 otras conmigo estas estos sido aún hecho será entre durante contra según cada toda aunque dónde cuándo \
                 quién cual cosa fin ti mí gran hola gusta siento claro luego ayer noche digo entonces puedes pueden han \
                 hemos vez",
        negators: "no nunca nada nadie ni ningún ningun ninguna ninguno sin jamás jamas tampoco",
        good: "buen bueno buena buenos buenas bien mejor* genial* excelente* perfect* maravill* increíble* increible* hermos* bonit* lind* \
               precios* guap* amo amor encant* adoro feliz* felic* alegr* content* gracias gust* mola molan disfrut* divertid* ríe reír risa \
               jajaj* jaja* abrazo* beso* suerte enhorabuena ganar ganado gana* victoria* éxito* exito* fantástic* fantastic* estupend* \
               espectacular* top grande crack ilusión ilusion quiero cariñ* rica rico delicios* dulce agradec* orgull* viva mágic* esperanza \
               bienvenid* fan genio favorit*",
        bad: "mal mala malo malos malas peor* mierda* puta puto putas joder hostia coño asco asquer* odio odi* triste* tristeza horrible* \
              feo fea terrible* fatal* pésim* pesim* vergüenza* verguenza* idiota* imbécil* imbecil* tont* estúpid* estupid* gilipoll* cabr* \
              pena llor* dolor* duele sufr* miedo* muert* morir murió muere matar asesin* guerra violen* terroris* víctima* corrup* ladron* \
              mentir* crisis problema* perd* perdido fracas* cansad* aburr* sueño rabia enfad* molest* harta harto ojalá enferm* culpa \
              desgraci* lástima lamentable* maldit* ridícul* sola extraño decepc* injust* basura fascis* \
              estrés agobi* suspend* deprim* plof ansiedad",
    },
    LanguageWords {
        lang: Lang::Hindi,
        common: "hai hain h ka ki ke ko se mein me mai main nahi nhi ni kya bhi aur ho hu hun tha thi kar kr raha rahe rahi rha rhe rhi \
                 tum aap ap hum mera meri mere tera teri koi kuch sab bhai yaar yar ji jo toh pe wala wale gaya gya gaye hua hue liye apna \
                 apni apne abhi kab kaise kyu kyun kyon agar phir fir bas bahut bohot accha acha karo karte karna diya jata jaye jayega \
                 hoga hogi unka unki iska iski uska uski isliye log logo bol dekh dekho kal aaj ab tak wo woh ye yeh yah ek hi par mujhe \
                 tumhe humko hame tere kitna sirf matlab haan nai aise waise baat kaam sath saath",
        negators: "nahi nhi nahin nai ni na mat bina kabhi",
        good: "accha acha achha achhi achi ache badiya badhiya mast zabardast pyar pyaar pyari pyara khush khushi sundar mubarak badhai \
               shukriya dhanyavad dhanyawad jeet jeeta jeet* swagat shandar shaandar dil dost wah waah best good great love nice happy super \
               thank* congrat* awesome proud salute jai naman sahi maza mazaa majaa hasi hero kamaal kamal lajawab umeed dua shubh",
        bad: "bura buri bure kharab ganda gandi gande bakwas bakwaas bekar bekaar ghatiya dukh dukhi nafrat gussa dard rona mara maut \
              chor jhoot jhuth jhooth jhutha dhokha dhoka sala saala sale saale kutta kutte kutti kamina kamine haramkhor gadha gadhe \
              gadhi chutiya chutiye bc mc bhosdi madarchod behenchod harami pagal bewakoof besharam sharam haar haara hara pareshan pareshani \
              problem sad bad hate worst dar darr galat galti tension bimar bimari garib gareeb deshdrohi gaddar neech fake fail",
    },
    LanguageWords {
        lang: Lang::Arabic,
        common: "في من على الى عن ما لا يا هو هي انا انت هذا هذه ان كل مع بعد قبل كان و او لو اذا الله اللي شو ايه ده دي مش كيف ليش بس",
        negators: "لا ما لم لن ليس ليست مش مو مب غير بدون ولا عدم",
        good: "جميل* الجميل* رائع* الرائع* حلو* ممتاز* احب* حب حبيب* احلي اجمل افضل الافضل شكرا سعيد* سعاده فرح* فوز فاز نجاح ناجح* مبروك \
               مبارك* الحمد خير الخير بطل ابطال عظيم* جيد* روعه امل محترم* ابداع مبدع* تحيه موفق* سلام جنه رحمه يسعد* عشق ضحك مميز* \
               عروض مجانا تهنئه انجاز يستاهل كفو",
        bad: "سيء* سيئ* اسوا كره اكره حزن حزين* الم مؤلم* قتل* يقتل* القتل مقتل موت الموت مات ارهاب* الارهاب* داعش حرب الحرب كذب* كاذب* \
              فاشل* فشل* خسر* خساره فساد الفساد فاسد* ظلم ظالم* مجرم* اجرام كلب كلاب الكلاب حمار خوف خايف مشكل* المشكل* ازمه كارثه دمار \
              قصف ضحايا شهيد شهداء خاين خيانه غبي* اغبيا* تافه* زفت قرف مقرف* عار وسخ* لعن* يلعن* تعب* زعل* بكي يبكي ضرب عدو اعداء \
              حقير* حسبي للاسف قهر طز تدمير انهيار سرق* حرامي*",
    },
];

/// Positive and negative emoji. The model learns the others.
pub(super) const GOOD_EMOJI: &str = "😀😁😂😃😄😅😆😇😉😊😋😌😍😎😏😗😘😙😚😛😜😝😸😹😺😻😽🙂🙌🙏👍👏👌💪✌☺❤♥💕💖💗💘💙💚💛💜💞💝💟💋🎉🎊🎁🎂🏆🥇⭐🌟✨🌹🌸🌺💐🔥💯😬🤗🤩🥰🥳🤣🙈☀🌈🍀💃🎶🍻🎈👑🏅⚽✅👯";
pub(super) const BAD_EMOJI: &str = "😒😓😔😕😖😞😟😠😡😢😣😤😥😦😧😨😩😪😫😭😮😰😱😲😳😵😷😿😾💔👎🖕😈👿💀☠💩🤮🤢🤬🤦🙄😑😐😶🙁☹🤕🤒🤡🐍🚫❌⚠💣🔪😯🤥🥺🙃";

/// Representatives of emoticon types, as `emoticon` returns them.
pub(super) const GOOD_EMOTICONS: &[&str] = &[":)", ";)", ":D", ":P", ":*", "<3", ":')"];
pub(super) const BAD_EMOTICONS: &[&str] = &[":(", ":'(", ":/", "</3", ":O"];
