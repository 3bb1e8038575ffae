//! Made-up pairs: denials of a whole text after other words, negations in Arabic, Hebrew, Chinese, Japanese and Korean,
//! and numbers in Chinese characters, which must be separated; and other words before a text, and other digits, which
//! must not separate it. `contradiction_tests` has the other pairs.

use super::property_tests::{are_copies, post};

const POLICE: &str = "police closed the main square because of a suspicious package";
const BRIDGE: &str = "Two trucks fell into the river when the old bridge near Calgary gave way, nobody was hurt";
const ARABIC: &str = "الشرطة أغلقت الساحة الرئيسية في المدينة بسبب طرد مشبوه صباح اليوم";
const HEBREW: &str = "המשטרה סגרה את הכיכר המרכזית בעיר בגלל חבילה חשודה הבוקר";
const RUSSIAN: &str = "полиция закрыла главную площадь города из-за подозрительной посылки сегодня утром";
const CHINESE: &str = "昨天晚上的火灾造成三人死亡，消防部门正在调查起火的具体原因和经过";
const JAPANESE: &str = "昨日の地震で三千人が避難し、体育館で夜を過ごしたと市が発表しました";

/// The words before and after a text that deny it, and the text.
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
    (
        "市政府说这座老桥很安全，明天早上照常开放给所有车辆通行",
        "市政府说这座老桥不安全，明天早上照常开放给所有车辆通行",
    ),
    (
        "昨天晚上的地震造成人员伤亡，消防部门和市政府今天早上分别公布了最新消息",
        "昨天晚上的地震没有造成人员伤亡，消防部门和市政府今天早上分别公布了最新消息",
    ),
    (
        "學校下星期一會開學，教育局昨天晚上在網站上公布了這個決定",
        "學校下星期一不會開學，教育局昨天晚上在網站上公布了這個決定",
    ),
    (
        "请大家今天晚上到河边的广场看烟花，市长昨天这样对记者说",
        "请大家今天晚上别到河边的广场看烟花，市长昨天这样对记者说",
    ),
    (
        "公司已经收到客户的付款，财务部门今天上午在公告中这样写道",
        "公司尚未收到客户的付款，财务部门今天上午在公告中这样写道",
    ),
    (
        "工会同意铁路公司的新方案，发言人昨天晚上在车站对记者说",
        "工会不同意铁路公司的新方案，发言人昨天晚上在车站对记者说",
    ),
    (
        "市長は昨日の夜の記者会見で、川に架かるあの古い橋は安全だと集まった記者たちに話しました",
        "市長は昨日の夜の記者会見で、川に架かるあの古い橋は安全ではないと集まった記者たちに話しました",
    ),
    ("駅前の図書館は来週の月曜日も朝から開いています", "駅前の図書館は来週の月曜日も朝から開いていません"),
    (
        "会社は来年の春に新しい工場を建てると社長が記者会見で話しました",
        "会社は来年の春に新しい工場を建てないと社長が記者会見で話しました",
    ),
    (
        "昨日の台風で市内の学校が休みになったと新聞社の記者が書いています",
        "昨日の台風で市内の学校が休みにならなかったと新聞社の記者が書いています",
    ),
    (
        "気象庁は今朝の地震で津波の被害ありと昼の会見で発表しました",
        "気象庁は今朝の地震で津波の被害なしと昼の会見で発表しました",
    ),
    (
        "検察はこの会社の元社長を起訴にすると夕方の会見で発表しました",
        "検察はこの会社の元社長を不起訴にすると夕方の会見で発表しました",
    ),
    (
        "社長は集まった記者に事故の説明をして会社を出たと関係者が話した",
        "社長は集まった記者に事故の説明をせずに会社を出たと関係者が話した",
    ),
    (
        "시장은 다음 주 월요일에 학교 문을 연다고 어제 저녁 기자들에게 말했다",
        "시장은 다음 주 월요일에 학교 문을 열지 않는다고 어제 저녁 기자들에게 말했다",
    ),
    (
        "어젯밤 지진으로 다친 사람이 있다고 소방서가 오늘 아침에 발표했다",
        "어젯밤 지진으로 다친 사람이 없다고 소방서가 오늘 아침에 발표했다",
    ),
    (
        "그 회사는 올해 강가에 새 공장을 짓는다고 사장이 기자들에게 말했다",
        "그 회사는 올해 강가에 새 공장을 안 짓는다고 사장이 기자들에게 말했다",
    ),
    (
        "No more refunds for flights that the storm cancelled, says the airline",
        "Refunds for flights that the storm cancelled, says the airline",
    ),
    (
        "No longer safe to drink the water in the river villages, says the mayor",
        "Safe to drink the water in the river villages, says the mayor",
    ),
];

/// The words before and after a text that leave it a copy, and the text.
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
    ("太可怕了，不敢相信：", CHINESE, ""),
    ("", CHINESE, "。真的没想到"),
    ("信じられない！", JAPANESE, ""),
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
    // These look like denials and are not.
    (
        "Two trucks fell into the river when the old bridge near Calgary gave way oh no",
        "Two trucks fell into the river when the old bridge near Calgary gave way -KH",
    ),
    (
        "这家店的面条非常好吃，老板对客人也很热情，我和家人下周末还会再来这里吃饭",
        "这家店的面条十分好吃，老板对客人也很热情，我和家人下周末还会再来这里吃饭",
    ),
    (
        "老板对客人特别热情，这家店的面条也很好吃，我和家人下周末还会再来这里吃饭",
        "老板对客人十分热情，这家店的面条也很好吃，我和家人下周末还会再来这里吃饭",
    ),
    (
        "博物館は来週の土曜日から入場無料で公開されると市が発表し、館長も新しい展示を楽しみにしています",
        "博物館は来週の土曜日から公開されると市が発表し、館長も新しい展示を楽しみにしています",
    ),
    (
        "駅の工事で電車は減るが今日の通勤に影響はないと鉄道会社が朝の会見で発表しました",
        "駅の工事で電車は減るが今日の通勤に影響は無いと鉄道会社が朝の会見で発表しました",
    ),
    (
        "어젯밤부터 비가 끊임없이 내려 강가의 마을 세 곳이 물에 잠겼고 학교도 모두 문을 닫았다",
        "어젯밤부터 비가 계속해서 내려 강가의 마을 세 곳이 물에 잠겼고 학교도 모두 문을 닫았다",
    ),
    (
        "말이 필요 없는 영화라고 친구들에게 자신 있게 추천하고 싶다",
        "말이필요없는 영화라고 친구들에게 자신 있게 추천하고 싶다",
    ),
    // Digits of other scripts.
    (
        "قالت البلدية إن ٧٥٬٠٠٠ شخص غادروا المدينة بعد زلزال بقوة ٤٫٥ درجات",
        "قالت البلدية إن 75,000 شخص غادروا المدينة بعد زلزال بقوة 4.5 درجات",
    ),
    (
        "پلیس می‌گوید ۱۲ نفر در آتش‌سوزی بازار شبانه شهر زخمی شدند",
        "پلیس می‌گوید 12 نفر در آتش‌سوزی بازار شبانه شهر زخمی شدند",
    ),
    ("कल रात की आग में २४ लोग घायल हुए, पुलिस ने आज सुबह बताया", "कल रात की आग में 24 लोग घायल हुए, पुलिस ने आज सुबह बताया"),
    ("ไฟไหม้ตลาดเมื่อคืนนี้มีผู้บาดเจ็บ ๒๔ คน ตำรวจแถลงเช้าวันนี้", "ไฟไหม้ตลาดเมื่อคืนนี้มีผู้บาดเจ็บ 24 คน ตำรวจแถลงเช้าวันนี้"),
];

#[test]
fn denials_after_other_words_separate_texts_and_other_remarks_do_not() {
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
