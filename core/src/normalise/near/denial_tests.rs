//! Made-up pairs: denials of a whole text after other words, negations in Arabic and Hebrew, and numbers in Chinese
//! characters, which must be separated; and what else stands before a text, which must not separate it.
//! `contradiction_tests` has the other pairs.

use super::property_tests::{are_copies, post};

const POLICE: &str = "police closed the main square because of a suspicious package";
const BRIDGE: &str = "Two trucks fell into the river when the old bridge near Calgary gave way, nobody was hurt";
const ARABIC: &str = "الشرطة أغلقت الساحة الرئيسية في المدينة بسبب طرد مشبوه صباح اليوم";
const HEBREW: &str = "המשטרה סגרה את הכיכר המרכזית בעיר בגלל חבילה חשודה הבוקר";
const RUSSIAN: &str = "полиция закрыла главную площадь города из-за подозрительной посылки сегодня утром";
const JAPANESE: &str = "昨日の地震で三千人が避難し、体育館で夜を過ごしたと市が発表しました";

/// What stands before and after a text, and the text, of which it is a denial.
const DENIALS: &[(&str, &str, &str)] = &[
    ("#k fake news: ", POLICE, ""),
    ("BREAKING: false: ", POLICE, ""),
    ("Ann says it is false: ", POLICE, ""),
    ("BREAKING: not true: ", POLICE, ""),
    ("Fact check: false, ", POLICE, ""),
    ("The story is fake: ", POLICE, ""),
    ("Hoax alert! ", POLICE, ""),
    ("Debunked: ", POLICE, ""),
    ("#FakeNews ", POLICE, ""),
    ("", POLICE, ". Update: not true"),
    ("خبر كاذب: ", ARABIC, ""),
    ("عاجل: غير صحيح: ", ARABIC, ""),
    ("لا صحة: ", ARABIC, ""),
    ("שקר: ", HEBREW, ""),
    ("דחוף: לא נכון: ", HEBREW, ""),
    ("Срочно: фейк: ", RUSSIAN, ""),
    ("Это неправда: ", RUSSIAN, ""),
];

/// Similar texts that must be separated.
const APART: &[(&str, &str)] = &[
    // A label is no other word for a denial.
    (
        "Breaking: police closed the main square because of a suspicious package",
        "Fake: police closed the main square because of a suspicious package",
    ),
    (
        "أعلنت الشركة أنها ستسحب جميع الروبوتات من الأسواق هذا الربيع",
        "أعلنت الشركة أنها لن تسحب جميع الروبوتات من الأسواق هذا الربيع",
    ),
    (
        "قال الوزير إن المدارس تفتح أبوابها يوم الاثنين في كل المدينة",
        "قال الوزير إن المدارس لا تفتح أبوابها يوم الاثنين في كل المدينة",
    ),
    (
        "الجسر القديم في شمال المدينة آمن كما يقول المهندسون اليوم",
        "الجسر القديم في شمال المدينة ليس آمن كما يقول المهندسون اليوم",
    ),
    ("عثرت الشرطة على الحصان البرونزي المسروق في النهر أمس", "لم تعثر الشرطة على الحصان البرونزي المسروق في النهر أمس"),
    (
        "وصل القطار الأخير إلى المحطة المركزية في موعده هذا المساء",
        "ما وصل القطار الأخير إلى المحطة المركزية في موعده هذا المساء",
    ),
    (
        "يمكن الدفع بالبطاقة القديمة في جميع المتاجر من الآن وصاعدا",
        "لايمكن الدفع بالبطاقة القديمة في جميع المتاجر من الآن وصاعدا",
    ),
    (
        "قالت البلدية إن الطريق الساحلي مغلق ويوجد خطر على السكان",
        "قالت البلدية إن الطريق الساحلي مغلق ولا يوجد خطر على السكان",
    ),
    ("המוזיאון בנמל פותח את שעריו בחינם בכל סוף שבוע השנה", "המוזיאון בנמל לא פותח את שעריו בחינם בכל סוף שבוע השנה"),
    (JAPANESE, "昨日の地震で五千人が避難し、体育館で夜を過ごしたと市が発表しました"),
    (
        "昨日の地震で3千人が避難し、体育館で夜を過ごしたと市が発表しました",
        "昨日の地震で3万人が避難し、体育館で夜を過ごしたと市が発表しました",
    ),
    (
        "昨夜の火事で二人が亡くなり、消防が原因を詳しく調べていると発表しました",
        "昨夜の火事で六人が亡くなり、消防が原因を詳しく調べていると発表しました",
    ),
    (
        "昨天晚上的火灾造成三人死亡，消防部门正在调查起火的具体原因和经过",
        "昨天晚上的火灾造成八人死亡，消防部门正在调查起火的具体原因和经过",
    ),
    (
        "公司宣布投资一千五百万元在河边建造一座新的工厂，明年春天开工建设",
        "公司宣布投资一千八百万元在河边建造一座新的工厂，明年春天开工建设",
    ),
];

/// What stands before and after a text, and the text, of which it is a copy.
const REMARKS: &[(&str, &str, &str)] = &[
    ("Oh no! ", BRIDGE, ""),
    ("oh no ", BRIDGE, ""),
    ("RT @x: ", BRIDGE, ""),
    ("Re: ", BRIDGE, ""),
    ("", BRIDGE, " via @ann"),
    ("Fwd: ", BRIDGE, ""),
    ("Is this fake? ", BRIDGE, ""),
    ("Guys, is this fake: ", BRIDGE, ""),
    ("True or false: ", BRIDGE, ""),
    ("Not a joke: ", BRIDGE, ""),
    ("This is not fake: ", BRIDGE, ""),
    ("I don't think it is fake: ", BRIDGE, ""),
    ("Good news: ", BRIDGE, ""),
    ("BREAKING NEWS from Calgary: ", BRIDGE, ""),
    ("Watch live: ", BRIDGE, ""),
    ("No, really: ", BRIDGE, ""),
    ("This is real: ", BRIDGE, ""),
    ("Please read this true story: ", BRIDGE, ""),
    // In 12 bits these have the hashes of a label, of a word around a denial and of one that is denied.
    ("Fake aliens: ", BRIDGE, ""),
    ("Fake embassy: ", BRIDGE, ""),
    ("Fake supporters: ", BRIDGE, ""),
    ("RT @ann: ", ARABIC, ""),
    ("عاجل | ", ARABIC, ""),
    ("لا، ", ARABIC, ""),
    ("خبر عاجل: ", ARABIC, ""),
    ("", ARABIC, " #عاجل"),
    ("RT @ann: ", HEBREW, ""),
    ("דחוף: ", HEBREW, ""),
    ("Срочно: ", RUSSIAN, ""),
    ("RT @ann: ", JAPANESE, ""),
    ("【速報】", JAPANESE, ""),
    ("", JAPANESE, " #地震 https://t.co/x"),
    ("", JAPANESE, "。みんな一緒に頑張ろう"),
];

/// Rewordings that must stay together.
const TOGETHER: &[(&str, &str)] = &[
    // Another word for "fake" at the end or the start of a text is no denial.
    (
        "Police say the Rolex watches seized at Boston airport are fake",
        "Police say the Rolex watches seized at Boston airport are counterfeit",
    ),
    (
        "Fake police officer arrested after he stopped cars near the airport in Boston",
        "Phony police officer arrested after he stopped cars near the airport in Boston",
    ),
    (
        "الطريق الساحلي لا يزال مغلقا أمام حركة السير منذ صباح اليوم الباكر",
        "الطريق الساحلي مغلقا أمام حركة السير منذ صباح اليوم الباكر",
    ),
    (RUSSIAN, "RT @ann полиция закрыла главную площадь города из-за подозрительной посылки сегодня утром #новости"),
    (JAPANESE, "昨日の地震で3千人が避難し、体育館で夜を過ごしたと市が発表しました"),
    (JAPANESE, "昨日の地震で3,000人が避難し、体育館で夜を過ごしたと市が発表しました"),
];

#[test]
fn a_denial_after_other_words_is_one_and_what_else_comes_first_is_none() {
    let framed = |frames: &[(&str, &str, &str)]| -> Vec<(String, String)> {
        frames.iter().map(|(before, text, after)| (format!("{before}{text}{after}"), (*text).to_owned())).collect()
    };
    let owned = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(one, other)| ((*one).to_owned(), (*other).to_owned())).collect()
    };
    let mut wrong = Vec::new();
    for (pairs, together) in
        [(framed(DENIALS), false), (owned(APART), false), (framed(REMARKS), true), (owned(TOGETHER), true)]
    {
        for (one, other) in pairs {
            let (a, b) = (post(&one), post(&other));
            let verdicts = [are_copies(a.as_ref(), b.as_ref()), are_copies(b.as_ref(), a.as_ref())];
            if verdicts != [together; 2] {
                wrong.push(format!("{verdicts:?}: {one} / {other}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
