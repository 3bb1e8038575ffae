//! Language detection: which sentences are unsupported, that short English ones are not, and that a text scores the
//! same in every Unicode form.

use topicwatch_core::model::Tone;
use topicwatch_core::sentiment::{self, Score, score};
use unicode_normalization::UnicodeNormalization;

/// Sentences in languages the model was not trained on: about a new telephone, a late train, a nice café.
const FOREIGN: &[(&str, &[&str])] = &[
    (
        "Polish",
        &[
            "Wczoraj kupiłam nowy telefon i już się zepsuł",
            "Pociąg znowu się spóźnił, mam tego dosyć",
            "Bardzo dobra kawa, polecam wszystkim",
        ],
    ),
    (
        "Czech",
        &[
            "Včera jsem si koupil nový telefon a už nefunguje",
            "Vlak má zase zpoždění, už mě to nebaví",
            "Ta kavárna je moc pěkná, určitě přijdeme znovu",
        ],
    ),
    (
        "Slovak",
        &[
            "Včera som si kúpil nový telefón a už nefunguje",
            "Vlak zase mešká, už ma to nebaví",
            "Tá kaviareň je veľmi pekná, určite prídeme znova",
        ],
    ),
    (
        "Slovene",
        &[
            "Včeraj sem kupil nov telefon in že ne deluje več",
            "Vlak spet zamuja, tega imam dovolj",
            "Ta kavarna je zelo lepa, še bomo prišli",
        ],
    ),
    (
        "Croatian",
        &[
            "Jučer sam kupio novi mobitel i već ne radi",
            "Vlak opet kasni, dosta mi je toga",
            "Ovaj kafić je jako lijep, opet ćemo doći",
        ],
    ),
    (
        "Hungarian",
        &[
            "Tegnap vettem egy új telefont, és már nem működik",
            "A vonat megint késik, és ebből már elegem van",
            "Ez a kávézó nagyon szép, biztosan visszajövünk",
        ],
    ),
    (
        "Finnish",
        &[
            "Ostin eilen uuden puhelimen eikä se enää toimi",
            "Juna on taas myöhässä, olen kyllästynyt tähän",
            "Tämä kahvila on todella kaunis, tulemme varmasti uudestaan",
        ],
    ),
    (
        "Estonian",
        &[
            "Ostsin eile uue telefoni ja see enam ei tööta",
            "Rong hilineb jälle, mul on sellest kõrini",
            "See kohvik on väga ilus, tuleme kindlasti tagasi",
        ],
    ),
    (
        "Latvian",
        &[
            "Vakar nopirku jaunu telefonu, un tas jau nedarbojas",
            "Vilciens atkal kavējas, man tas ir apnicis",
            "Šī kafejnīca ir ļoti skaista, noteikti atgriezīsimies",
        ],
    ),
    (
        "Lithuanian",
        &[
            "Vakar nusipirkau naują telefoną ir jis jau neveikia",
            "Traukinys vėl vėluoja, man tai nusibodo",
            "Ši kavinė labai graži, tikrai sugrįšime",
        ],
    ),
    (
        "Romanian",
        &[
            "Ieri mi-am cumpărat un telefon nou și deja nu mai merge",
            "Trenul întârzie iar, m-am săturat",
            "Cafeneaua asta este foarte frumoasă, sigur ne întoarcem",
        ],
    ),
    (
        "Dutch",
        &[
            "Gisteren een nieuwe telefoon gekocht en hij doet het al niet meer",
            "De trein is weer te laat, ik ben er klaar mee",
            "Wat een mooi café, we komen zeker terug",
        ],
    ),
    (
        "Swedish",
        &[
            "Köpte en ny telefon igår och den fungerar redan inte",
            "Tåget är försenat igen, jag är så trött på det här",
            "Det här kaféet är jättefint, vi kommer tillbaka",
        ],
    ),
    (
        "Danish",
        &[
            "Jeg købte en ny telefon i går, og den virker allerede ikke",
            "Toget er forsinket igen, jeg gider ikke mere",
            "Sikke en smuk café, vi kommer helt sikkert igen",
        ],
    ),
    (
        "Norwegian",
        &[
            "Kjøpte ny telefon i går, og den virker ikke lenger",
            "Toget er forsinket igjen, nå er jeg lei",
            "Dette er en veldig fin kafé, vi kommer tilbake",
        ],
    ),
    (
        "Icelandic",
        &[
            "Ég keypti nýjan síma í gær og hann er strax bilaður",
            "Lestin er aftur of sein, ég er búinn að fá nóg",
            "Þetta er mjög fallegt kaffihús, við komum aftur",
        ],
    ),
    (
        "Turkish",
        &[
            "Dün yeni bir telefon aldım, bugün çalışmıyor",
            "Tren yine geç kaldı, artık bıktım",
            "Bu kafe çok güzel, kesinlikle yine geleceğiz",
        ],
    ),
    (
        "Indonesian",
        &[
            "Kemarin saya beli ponsel baru dan sekarang sudah rusak",
            "Kereta terlambat lagi, saya sudah capek",
            "Kafe ini bagus sekali, kami pasti kembali",
        ],
    ),
    (
        "Tagalog",
        &[
            "Bumili ako ng bagong telepono kahapon pero sira na ngayon",
            "Huli na naman ang tren, pagod na ako dito",
            "Ang ganda ng kapihan na ito, babalik kami",
        ],
    ),
    (
        "Vietnamese",
        &[
            "Hôm qua tôi mua điện thoại mới mà nay đã hỏng rồi",
            "Tàu lại đến muộn, tôi chán lắm rồi",
            "Quán cà phê này rất đẹp, chúng tôi sẽ quay lại",
        ],
    ),
    (
        "Catalan",
        &[
            "Ahir em vaig comprar un telèfon nou i ja no funciona",
            "El tren torna a arribar tard, n'estic tipa d'això",
            "Aquest cafè és molt bonic, segur que hi tornarem",
        ],
    ),
    (
        "Basque",
        &[
            "Atzo telefono berri bat erosi nuen eta dagoeneko ez dabil",
            "Trena berriro berandu dator, nazkatuta nago",
            "Kafetegi hau oso polita da, itzuliko gara",
        ],
    ),
    (
        "Irish",
        &[
            "Cheannaigh mé fón nua inné agus níl sé ag obair anois",
            "Tá an traein mall arís, táim tinn de",
            "Tá an caife seo go hálainn, beimid ar ais",
        ],
    ),
    (
        "Welsh",
        &[
            "Prynais i ffôn newydd ddoe ac mae o wedi torri yn barod",
            "Mae'r trên yn hwyr eto, dw i wedi cael digon",
            "Mae'r caffi yma yn hyfryd iawn, byddwn ni yn ôl",
        ],
    ),
    (
        "Albanian",
        &[
            "Dje bleva një telefon të ri dhe nuk punon më",
            "Treni u vonua përsëri, jam lodhur nga kjo",
            "Kjo kafene është shumë e bukur, do të kthehemi",
        ],
    ),
    (
        "Swahili",
        &[
            "Jana nilinunua simu mpya na leo haifanyi kazi tena",
            "Treni imechelewa tena, nimechoka sana na hii",
            "Mkahawa huu ni mzuri sana, tutarudi kesho",
        ],
    ),
    (
        "Afrikaans",
        &[
            "Ek het gister 'n nuwe foon gekoop en dit werk nie meer nie",
            "Die trein is alweer laat, ek is moeg hiervoor",
            "Wat 'n mooi kafee, ons sal beslis weer kom",
        ],
    ),
];

/// The same in the languages it was trained on.
const KNOWN: &[(&str, &[&str])] = &[
    (
        "en",
        &[
            "Bought a new phone yesterday and it is broken already",
            "The train is late again, I am fed up",
            "Such a nice café, we will be back",
        ],
    ),
    (
        "de",
        &[
            "Der Zug hat schon wieder Verspätung, mir reicht es",
            "Sehr schönes Café, wir kommen wieder",
            "Gestern gekauft, heute kaputt",
        ],
    ),
    (
        "fr",
        &[
            "Le train est encore en retard, j'en ai assez",
            "Très joli café, nous reviendrons",
            "Acheté hier, déjà cassé",
        ],
    ),
    (
        "it",
        &[
            "Il treno è di nuovo in ritardo, non ne posso più",
            "Un bar bellissimo, ci torneremo",
            "Comprato ieri, già rotto",
        ],
    ),
    (
        "pt",
        &[
            "O trem está atrasado de novo, não aguento mais",
            "Um café muito bonito, vamos voltar",
            "Comprei ontem e já não funciona",
        ],
    ),
    (
        "es",
        &[
            "El tren llega tarde otra vez, estoy harta",
            "Un café muy bonito, volveremos",
            "Lo compré ayer y ya no funciona",
        ],
    ),
    ("hi", &["train phir se late hai yaar, bahut ho gaya", "yeh cafe bahut achha hai, hum phir aayenge"]),
    ("ar", &["القطار متأخر مرة اخرى، تعبت", "مقهى جميل جدا سنعود اليه"]),
];

/// Too short to be certain.
const SHORT: &[&str] = &[
    "great",
    "love it",
    "outage again",
    "Tesla down",
    "Google loses",
    "iPhone 15",
    "Rust 1.80 released",
    "never again",
    "waste of money",
    "no comment",
    "sold out",
    "die hard fan",
    "on fire",
    "total disaster",
    "data breach",
    "profits fall",
    "come on",
    "RIP legend",
    "a star is born",
    "Show HN: A terminal for museums",
    "Why I left my job",
    "Apple Park solar panels installed",
    "Bus crash kills 12 near Sao Paulo",
    "Pokémon Go update",
    "Beyoncé wins again",
    "café closed again",
    "Samsung Galaxy S24 Ultra camera review",
];

fn decomposed(text: &str) -> String {
    text.nfd().collect()
}

#[test]
fn sentences_of_other_languages_are_unsupported_in_every_unicode_form() {
    for (language, sentences) in FOREIGN {
        for text in *sentences {
            for text in [(*text).to_owned(), decomposed(text)] {
                let scored = score(&text);
                assert_eq!(scored.tone, Tone::Unsupported, "{language}: {text}: {scored:?}");
                assert!(!sentiment::Lang::ALL.iter().any(|known| known.code() == scored.lang), "{text}: {scored:?}");
            }
        }
    }
}

#[test]
fn sentences_of_the_models_languages_are_supported() {
    for (lang, sentences) in KNOWN {
        for text in *sentences {
            let scored = score(text);
            assert!(scored.tone != Tone::Unsupported && scored.lang == *lang, "{lang}: {text}: {scored:?}");
        }
    }
}

#[test]
fn short_english_texts_are_read_as_english() {
    for text in SHORT {
        let scored = score(text);
        assert!(scored.tone != Tone::Unsupported && scored.lang == "en", "{text}: {scored:?}");
    }
}

#[test]
fn a_name_with_foreign_letters_leaves_english_text_supported() {
    for text in [
        "Novak Đoković wins again",
        "Nikola Jokić and Luka Dončić lead the West",
        "my trip to Kraków and Łódź was so much fun",
        "I want to see Björk in Reykjavík with Þóra",
    ] {
        let scored = score(text);
        assert!(scored.tone != Tone::Unsupported && scored.lang == "en", "{text}: {scored:?}");
    }
}

#[test]
fn texts_score_the_same_in_every_unicode_form() {
    let styled = |text: &str, first: char, capital: char| -> String {
        let place = |c: char, from: char, to: char| char::from_u32(u32::from(c) - u32::from(from) + u32::from(to));
        text.chars()
            .map(|c| match c {
                'a'..='z' => place(c, 'a', first).unwrap(),
                'A'..='Z' => place(c, 'A', capital).unwrap(),
                other => other,
            })
            .collect()
    };
    let same = |plain: &str, other: &str| {
        let read = |text: &str| -> Score { score(text) };
        assert_eq!(read(plain), read(other), "{plain} | {other}");
    };
    for text in
        ["C'est très décevant", "Ich bin so enttäuscht, das ist schön blöd", "não gostei, é péssimo", "qué ilusión"]
    {
        assert_ne!(text, decomposed(text));
        same(text, &decomposed(text));
    }
    for text in ["this is terrible, NEVER again", "what a wonderful day"] {
        for (first, capital) in [('𝐚', '𝐀'), ('𝓪', '𝓐'), ('𝗮', '𝗔'), ('𝚊', '𝙰'), ('ａ', 'Ａ')]
        {
            same(text, &styled(text, first, capital));
        }
    }
    same("so fine… it's good", "so ﬁne… it´s good");
    same("شكرا لكم", "ﺷﻜﺮﺍ ﻟﻜﻢ");
    let long = "très déçue, c'est l'été à Genève ".repeat(500);
    same(&long, &decomposed(&long));
}

#[test]
fn a_text_without_letters_emoji_or_emoticons_is_unsupported() {
    for text in [
        "0 0 0 0",
        "!!!!",
        "?!?",
        "...",
        "https://example.com/a",
        "@somebody",
        "@somebody https://example.com 12",
        "+1 %",
    ] {
        let scored = score(text);
        assert_eq!((scored.tone, scored.lang), (Tone::Unsupported, "und"), "{text}: {scored:?}");
    }
    for text in ["!!! 😍", "10/10 👍", ":-(", "@somebody :)"] {
        assert_ne!(score(text).tone, Tone::Unsupported, "{text}");
    }
}
