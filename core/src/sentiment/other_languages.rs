//! The most common words, by code, of languages the model was not trained on. They prevent confusion with the supported
//! ones. Counted in the Universal Declaration of Human Rights, and completed by hand. Their sentiment is not used.

pub(super) const OTHERS: &[(&str, &str)] = &[
    (
        "nl",
        "is de het een van en ik je niet dat op te zijn voor er maar ook aan die nog wel bij naar hij ze wat heb \
         kan geen deze gaan wordt werd hebben mijn jij jullie goed dus als weer om uit dit met heeft worden zal \
         zou door echt heel al iets niets moet mag wil hoe waarom zo zonder tegen meer mensen hier daar nu toch \
         onze ons haar hun alleen altijd nooit vandaag morgen lekker mooi leuk bent wij wie welke iemand niemand \
         gewoon even",
    ),
    (
        "af",
        "die en van het te nie om sal vir op deur hierdie enige wat aan sy hulle ons ek jy hy dit kan maar ook \
         baie daar nou hoe wees elke teen word met as is jou my gaan weer nooit",
    ),
    (
        "sv",
        "vilken dag tack vänner och att det som en på är av för med jag inte till den har om ett var så du vi kan \
         men från han när hon mig alla här sig nu vad bara ska vill där mycket eller denna dig min din mitt sin \
         sitt varje utan hans vara bli blir skall någon något inget ingen igen aldrig efter också idag bra \
         riktigt mer än hur varför vem ut upp få får göra går kommer måste er de dem oss era",
    ),
    (
        "da",
        "og at det er en på i af for med jeg ikke til den har om et var så du vi kan men fra han når hun mig alle \
         her sig nu hvad bare skal vil der meget også eller denne dig min din mit sin være ved efter enhver hans \
         ingen noget nogen mod uden blev bliver aldrig igen dag hvor hvorfor hvem godt dårligt virkelig tak de \
         dem os jeres mere end ud op få gør går kommer må sikke lige som ret",
    ),
    (
        "nb",
        "igjen lenger nå litt mye hele og at det er en på i av for med jeg ikke til den har om et var så du vi \
         kan men fra han når hun meg alle her seg hva bare skal vil der også eller denne deg min din mitt sin \
         være ved etter enhver hans ingen noe noen mot uten ble blir aldri hvor hvorfor hvem dårlig virkelig takk \
         de dem oss dere mer enn ut opp få gjør går kommer må skikkelig veldig som",
    ),
    (
        "is",
        "og að í er ég á það sem við ekki til um þú hann hún en með var fyrir svo eða þetta eru vera hafa mjög \
         þess þeim hefur skal af sér engan aldrei aftur dag hvað bara eins nú þau mér þér mig þig allt alltaf",
    ),
    (
        "fi",
        "ja on ei että se mutta niin kun ole oli hän minä sinä mitä ovat nyt vain jos sitä kuin siis mulla sun \
         tää tämä tai sekä en et emme saa kaikki kaikkien hänen joka jotka olen olet todella tosi enää koskaan \
         aina myös vielä hyvä hyvää huono mikä miksi missä tänään huomenna ilman vastaan sen sitten kanssa mun \
         oikeus niitä hyvin paljon enkä ihan kyllä jo mua nämä joku jotain pitää",
    ),
    (
        "et",
        "ja on ei et see mis ma sa ta kui ka oma ning või kes seda aga nii olen oled oli pole midagi väga kõik \
         siis veel täna homme mul sul tema nende peab igal iga kaudu kaasa mitte enam kunagi juba miks kus hea \
         halb minu sinu selle neid üks",
    ),
    (
        "tr",
        "bir ve bu da de için ne çok ama var yok mı mi ben sen gibi kadar daha olan değil her şey ile diye olarak \
         sonra benim bana ki iyi kim neden veya karşı herkes hiç bütün bugün yarın kötü güzel gerçekten biz siz \
         onlar onu bunu şu artık sadece hem ya olur oldu olsun mu mü en teşekkürler haizdir vardır hakkı şimdi \
         böyle nasıl niye asla zaman yine",
    ),
    (
        "az",
        "və bir bu hər üçün ilə var ki mən sən o biz siz onlar də da çox daha heç nə kim hansı olan deyil kimi \
         amma ancaq gün bütün həm ya onun öz həmin olmaq etmək yaxşı pis gözəl sonra indi",
    ),
    (
        "pl",
        "wczoraj znowu znów polecam dobra dobre nie się to na w i że z jest do jak co ale tak po czy już za od \
         tylko ja mnie mi jestem był być są ten przez o dla ma lub oraz każdy ich jego jej tego tym tej te ta \
         które który która ze bez bardzo też jeszcze nigdy zawsze dzisiaj dziś teraz dobrze dobry źle zła zły mam \
         masz mamy sobie siebie gdy kiedy gdzie dlaczego bo albo więc nic coś ktoś nikt może my wy oni aby \
         wszystko wszystkich wszyscy tam tu swoich więcej prawo",
    ),
    (
        "cs",
        "se na že je to v a s do jak ale tak po už za od jen já mě mi jsem byl být jsou ten pro co není když i \
         nebo má každý k jeho aby by z ve která které který si tam tu velmi nikdy vždy dnes dobře ještě taky také \
         kde proč kdo nic něco máme mám jsme bez proti při jako bude budu této bych ty vy oni nikdo všechno \
         všichni moc děkuji den svou svých ze o u",
    ),
    (
        "sk",
        "zase veľa včera zajtra pekný pekne pekná už sa na že je to v a s do ako ale tak po za od len ja mňa mi \
         som bol byť sú ten pre čo nie keď i alebo má každý k jeho aby by z vo ktorá ktoré ktorý si tam tu veľmi \
         nikdy vždy dnes dobre ešte tiež aj kde prečo kto nič niečo máme mám sme bez proti pri bude budem tejto \
         ty vy oni nikto všetko všetci moc ďakujem deň svoju svojej zo o u ktorom",
    ),
    (
        "sl",
        "spet včeraj jutri dovolj imam lep lepo in je dan v na se da za z ne so pa ki sem si bi to tudi ali kot \
         ima do po od pri ker vsi vse ni biti bil bila zelo več nikoli danes ta tem mi ti vi jaz samo še kaj kako \
         kdo zakaj smo ste imajo lahko med pred njegovo mora vsakdo ter tako kjer dobro slabo že k kakor tega te \
         ko čez brez",
    ),
    (
        "hr",
        "dan je i u na da se to ne za su sam od što ali kako ima bi samo nije si ja biti smo sve ili s koji koja \
         koje kao bez iz po te me mi ti vi oni ovo jako veoma više nikad danas sutra dobro loše zašto gdje gde \
         kad šta tko ko ništa nešto sada još već ako treba može bio bila bude bilo protiv svoju svako svatko \
         pravo prema među njegov tamo ovaj taj mu ga ih nema",
    ),
    (
        "ro",
        "și si nu să că ca de la în in cu pe este sunt am ai mai dar pentru din care ce fi fost asta acest foarte \
         eu tu el ea a al ale o un unei unui sau orice are au prin fără lui lor său sale noi voi ei ele azi \
         astăzi mâine bine rău acum aici doar tot toate toți nimeni nimic niciodată când unde cum bun bună mult \
         despre după între până aceasta acesta sa fie se va vor dreptul mod către cât",
    ),
    (
        "id",
        "yang dan di itu ini aku kamu tidak ada untuk dengan ya dari saya bisa mau lagi sudah apa juga gak nggak \
         kalau karena buat ke jadi orang udah sama yg banget dalam atau pada akan oleh setiap hak semua kita kami \
         mereka dia nya tapi telah sangat hari baik bagus jelek sekali saja harus seperti lebih anda tak datang \
         kembali bersama kerana seorang bagi hanya masih pernah belum kenapa gimana banyak secara terhadap",
    ),
    (
        "jv",
        "lan kang ing sing iku iki ora ana wis aku kowe karo kanggo utawa saka uga marang kanthi saben padha dadi \
         bisa wong apa arep isih durung mung banget sarta",
    ),
    (
        "su",
        "anu jeung ku di nu teh ti kana dina eta ieu teu henteu aya sareng pikeun kudu geus abdi urang sing atawa \
         oge saha naon pisan boh katut sarta",
    ),
    (
        "tl",
        "ang ng sa na mga ako ko mo ka ay hindi yung naman lang ni kasi siya pa at po kung si para may wala ba \
         nga din niya nang bawat kanyang ito isang o kami tayo kayo sila namin natin nila dito ngayon araw walang \
         lahat talaga sobrang mas pero kaya iyon iyan mang mahal ganda salamat alam gusto dahil",
    ),
    (
        "vi",
        "là của và có không cho một những người được với tôi đã này trong các khi anh em đi thì mà rất quá ngày ở \
         về như cũng đó gì bạn mọi quyền tự hay do đều vào ra lại sẽ nhưng vì từ hôm nay đến làm phải bị tốt bởi \
         theo hoặc nào",
    ),
    (
        "ca",
        "d'això d'aquest tard torna n'és hem el la i de que no és un una amb per els les dels als això aquest \
         aquesta són però molt també ha he més tot avui ja en o del al té tota seva seu tothom ningú qualsevol \
         sense ser mai hi ho em et ens us aquests estat està estem fer fa dia bon bona gràcies només ara quan on \
         què perquè gent cap altre altres meu meva nostre ni uns unes dolent servei",
    ),
    (
        "hu",
        "még olyan vagyok ezért miért hogyan szép a az nap és hogy nem is egy van ez de meg csak már ha én mint \
         vagy volt lesz mert most nagyon minden ki kell lehet el sem ő mi ti ők azt ezt amely akkor soha többet \
         jó rossz ma holnap itt ott vele neki nekem valami semmi joga arra való személynek hanem ne be fel le \
         nincs sok ilyen igen köszönöm volna lenne",
    ),
    (
        "lt",
        "ir diena su į yra kad tai ne o bet kaip ar iš jis ji mes jūs jie aš tu buvo būti labai dar jau tik \
         šiandien rytoj niekada daugiau visi viskas kas kodėl kur čia už nuo iki be prie po per dėl jo jos savo \
         kiekvienas turi teisę žmogus arba taip bus man tau mano",
    ),
    (
        "lv",
        "un ir uz ar no par ka kas vai es tu viņš viņa mēs jūs tas tā bet kā nav arī tikai ļoti šodien rīt nekad \
         vairs visi viss kur kāpēc šeit pie pēc bez lai savu katram ikvienam tiesības būt bija man tev mans jau \
         vēl pret to šo diena kad",
    ),
    (
        "sw",
        "na ya wa kwa ni za katika la cha hii kama yake hiyo wewe mimi lakini sana au kila yote wote watu mtu \
         hakuna kuwa hali si tu wao yao leo kesho nzuri mbaya pia bila bado sasa ambao vya yangu yako haki siku \
         ndio asante tena kabisa huu",
    ),
    (
        "sq",
        "sa ditë bukur të dhe e në i ka për që ose me si duhet nga një është së çdo kanë këtë nuk do unë ti ai \
         ajo ne ju ata shumë sot nesër mirë keq por po jo kjo ky pa edhe kur ku pse asgjë gjithë gjithkush drejtë \
         mund ishte janë kam ke tani vetëm më kurrë mbi mes gjë tij",
    ),
    (
        "eu",
        "nago berriro dator zaude daude dugu eta da du ez ere bat edo bai dira dago zen nuen dut naiz zara gara \
         oso gaur bihar egun hau hori hura baina nire zure izan dute dela duen diren den egin gabe bere ona \
         txarra zer nor non noiz zergatik beste guztiak orok eskubidea izango inoiz asko bezala nik zuk eskerrik \
         ni zu pertsona arabera",
    ),
    (
        "ga",
        "táim táimid arís inné anois anseo ansin agus an na is ar go ag i le do ní bhí tá gach nó sa den ach mé \
         tú sé sí muid sibh siad seo sin inniu amárach maith olc aon duine atá leis chun bhfuil raibh mar as ó \
         faoi féin níl againn agam agat aige acu ceart cad conas cén fáth lá deo",
    ),
    (
        "cy",
        "mae'r dwi eto newydd ddoe nawr y yn yr a i o ac mae ar gan neu wedi ei eu oedd roedd nid ddim ni nad hwn \
         hon hyn am ond gyda iawn heddiw yfory fi ti chi nhw fe bod fod sydd sy'n a'r o'r i'r â bawb pawb unrhyw \
         mewn hawl ydy yw rwy dw da drwg pam beth pwy byth bydd dim diolch fy dy rydw rydym",
    ),
    (
        "mt",
        "il li ta u ma għal jew minn fil tal hu hi kien hija huwa dan din biex kull aktar iżda mhux mill bil xi \
         għandu għandha jien int aħna illum tajjeb ħażin għandhom ħadd kulħadd lil qed għax meta fuq wara bħal",
    ),
    (
        "eo",
        "la kaj de en estas mi vi li ŝi ni ili ne ke al por kun pri sed aŭ ĉu ĉi tio tiu kio kiu mia via estis \
         hodiaŭ tre neniam bone pli nur ankaŭ el je per ĉiu havas rajtas kontraŭ sen oni aj",
    ),
    (
        "ht",
        "mwen ou li nou yo pa te se nan pou ak yon sa ki gen tout anpil men ka pral ap la jodi bon move poukisa \
         epi oswa lè mwenm janm menm paske",
    ),
    (
        "so",
        "iyo waa ku oo ah uu ay la in ka si u ma loo waxaa wax aan waxay waxuu wuxuu kale ama qof inuu soo lagu \
         kasta maanta fiican aad waxa badan mid isku leh",
    ),
    (
        "ha",
        "da a ya na ba ta ko ce ne kuma cikin shi su ni ke mu yi za wannan wani wata kowa sosai yau gobe don daga \
         zai sun an yana tana suna kowane hakkin duniya ina kai",
    ),
    ("yo", "ni ti ó àti sí tí láti kan wọn a mo o fún pé gbogbo tó àwọn mi rẹ ẹ kò náà ọ jẹ bí"),
    (
        "zu",
        "futhi noma wonke umuntu ukuthi kakhulu kodwa yami wami manje namhlanje ngoba kanye lapho kumele \
         ngiyabonga uma ngale mina wena thina kanjani",
    ),
    (
        "uz",
        "va bir bu bilan uchun har ham hech emas yoki edi men sen biz siz ular juda yaxshi yomon bugun kerak \
         mumkin lekin ammo shu oʻz oʻzi bo'lgan bo'lib bo'ldi o'z yo'q qanday nima kim esa edim deb",
    ),
    (
        "la",
        "et in est non ad cum ut sed qui quae quod ex ab atque aut vel sunt esse nec neque si per pro omnes omnia \
         habet sua suae ipse hoc haec eius nihil semper numquam quisque fuit erat enim autem quam",
    ),
];
