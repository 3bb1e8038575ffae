//! Made-up pairs: similar texts with a different meaning, which must be separated, and rewordings of one text, which
//! must stay together. `measured` tests real pairs.

use std::io::Write as _;

use super::property_tests::{are_copies, post};

/// Similar texts that must be separated.
pub(super) const APART: &[(&str, &str)] = &[
    // Negation.
    (
        "Acme will recall all of its kitchen robots this spring",
        "Acme will not recall all of its kitchen robots this spring",
    ),
    ("Acme won't recall its kitchen robots, the company says", "Acme will recall its kitchen robots, the company says"),
    ("The bridge into the old town is safe, engineers say", "The bridge into the old town isn't safe, engineers say"),
    (
        "No evacuation order for the river villages tonight, says the mayor",
        "Evacuation order for the river villages tonight, says the mayor",
    ),
    (
        "The mayor said that there is a plan for the flooded schools",
        "The mayor said that there is no plan for the flooded schools",
    ),
    ("Police never found the stolen bronze horse in the river", "Police found the stolen bronze horse in the river"),
    ("Acme refuses to recall its kitchen robots after the fires", "Acme to recall its kitchen robots after the fires"),
    (
        "Der Konzern wird die Küchenmaschinen in diesem Jahr zurückrufen",
        "Der Konzern wird die Küchenmaschinen in diesem Jahr nicht zurückrufen",
    ),
    (
        "El alcalde dijo que las escuelas abren el lunes en toda la ciudad",
        "El alcalde dijo que las escuelas no abren el lunes en toda la ciudad",
    ),
    (
        "You can pay with your old card in every shop from now on",
        "You cant pay with your old card in every shop from now on",
    ),
    // A denial of the whole text.
    (
        "Not true: the museum in the harbour opens its doors free of charge every weekend",
        "The museum in the harbour opens its doors free of charge every weekend",
    ),
    (
        "It is not true that the museum in the harbour opens its doors free of charge every weekend",
        "the museum in the harbour opens its doors free of charge every weekend",
    ),
    (
        "there is no evidence that police closed the main square because of a suspicious package",
        "police closed the main square because of a suspicious package",
    ),
    (
        "police closed the main square because of a suspicious package - NOT",
        "police closed the main square because of a suspicious package",
    ),
    (
        "Fake news: police closed the main square because of a suspicious package",
        "police closed the main square because of a suspicious package",
    ),
    (
        "Ich mag das neue Telefon von Acme mit der tollen Kamera nicht",
        "Ich mag das neue Telefon von Acme mit der tollen Kamera",
    ),
    (
        "False: police closed the main square because of a suspicious package",
        "police closed the main square because of a suspicious package",
    ),
    (
        "Stimmt nicht: Ich mag das neue Telefon von Acme mit der tollen Kamera",
        "Ich mag das neue Telefon von Acme mit der tollen Kamera",
    ),
    (
        "Es gibt keine Belege dafür, dass die Brücke im Norden der Stadt gesperrt wird",
        "die Brücke im Norden der Stadt gesperrt wird",
    ),
    (
        "No hay pruebas de que las escuelas abren el lunes en toda la ciudad",
        "las escuelas abren el lunes en toda la ciudad",
    ),
    // Number words.
    (
        "Two people were killed when a bus left the road near the mill",
        "Nine people were killed when a bus left the road near the mill",
    ),
    (
        "The court gave the former banker seven years for the fraud",
        "The court gave the former banker eleven years for the fraud",
    ),
    (
        "Hundreds of people wait at the station for the last train",
        "Thousands of people wait at the station for the last train",
    ),
    ("The second launch of the new rocket ended in the sea", "The third launch of the new rocket ended in the sea"),
    (
        "Profits doubled at the maker of kitchen robots last year",
        "Profits tripled at the maker of kitchen robots last year",
    ),
    (
        "Three dead and 12 hurt after the fire in the night market",
        "Five dead and 12 hurt after the fire in the night market",
    ),
    // Names and places.
    (
        "Explosion at a fertiliser plant near Calgary, many are hurt",
        "Explosion at a fertiliser plant near Boston, many are hurt",
    ),
    (
        "Nurses needed for the night shift at a clinic in Red Deer",
        "Nurses needed for the night shift at a clinic in Spruce Grove",
    ),
    (
        "Widgetly raises forty million to make robots for kitchens",
        "Globex raises forty million to make robots for kitchens",
    ),
    ("The prime minister of Austria resigned this evening", "The prime minister of Australia resigned this evening"),
    (
        "Iran says that it will open its border on the first of May",
        "Iraq says that it will open its border on the first of May",
    ),
    (
        "Explosion Hits Oil Pipeline Outside Homs, State Media Say",
        "Explosion Hits Oil Pipeline Outside Aleppo, State Media Say",
    ),
    (
        "Talks about the new trade treaty go on Monday in Geneva",
        "Talks about the new trade treaty go on Thursday in Geneva",
    ),
    (
        "earthquake felt all over lisbon this morning, we are fine",
        "earthquake felt all over bucharest this morning, we are fine",
    ),
    (
        "North Korea fires a missile over the sea, the army says",
        "South Korea fires a missile over the sea, the army says",
    ),
    ("Praying tonight for everyone who lives in #Boston", "Praying tonight for everyone who lives in #Calgary"),
    // Opposites.
    (
        "I love the new kitchen robot, the best thing that I ever bought",
        "I hate the new kitchen robot, the worst thing that I ever bought",
    ),
    ("Outage of the login service in the region: investigating", "Outage of the login service in the region: resolved"),
    (
        "Acme cuts three hundred jobs at its plant in the valley",
        "Acme adds three hundred jobs at its plant in the valley",
    ),
    ("Rovers win the cup after a long night of penalties", "Rovers lose the cup after a long night of penalties"),
    (
        "Shares of the robot maker rise after the quarterly report",
        "Shares of the robot maker fall after the quarterly report",
    ),
    (
        "Parliament votes to ban plastic cups from next January",
        "Parliament votes to allow plastic cups from next January",
    ),
    (
        "The museum will open again for visitors on the weekend",
        "The museum will close again for visitors on the weekend",
    ),
    (
        "The jury found the former banker guilty on every count",
        "The jury found the former banker innocent on every count",
    ),
    (
        "The minister confirms that the ministry paid the hackers",
        "The minister denies that the ministry paid the hackers",
    ),
    ("Union members accept the offer of the train operator", "Union members reject the offer of the train operator"),
    ("More people than last year came to the night market", "Fewer people than last year came to the night market"),
    ("The missing climbers were found alive below the summit", "The missing climbers were found dead below the summit"),
    // Names and numbers that changed places.
    (
        "Final score at the Emirates tonight: Arsenal 2-1 Chelsea in a great game",
        "Final score at the Emirates tonight: Arsenal 1-2 Chelsea in a great game",
    ),
    ("Acme buys Globex for three billion in cash and shares", "Globex buys Acme for three billion in cash and shares"),
    ("Federer beats Nadal in a final that took five hours", "Nadal beats Federer in a final that took five hours"),
    ("Chancellor says that Germany owes Greece an answer", "Chancellor says that Greece owes Germany an answer"),
    (
        "New York beats Los Angeles after extra time last night",
        "Los Angeles beats New York after extra time last night",
    ),
    (
        "acme sues globex over the patent for folding kitchen arms",
        "globex sues acme over the patent for folding kitchen arms",
    ),
    (
        "Ann thanked Bob for the keys to the house in the hills",
        "Bob thanked Ann for the keys to the house in the hills",
    ),
];

const BRIDGE: &str = "Two trucks fell into the river when the old bridge near Calgary gave way, nobody was hurt";
const ROBOT: &str = "Acme will not recall its kitchen robots, says Jane Doe of the safety board in Boston";

/// Rewordings that must stay together.
pub(super) const TOGETHER: &[(&str, &str)] = &[
    (
        BRIDGE,
        "I can't believe it: Two trucks fell into the river when the old bridge near Calgary gave way, nobody was hurt",
    ),
    (BRIDGE, "No way! Two trucks fell into the river when the old bridge near Calgary gave way, nobody was hurt"),
    (
        BRIDGE,
        "Is this not real? Two trucks fell into the river when the old bridge near Calgary gave way, nobody was hurt",
    ),
    (BRIDGE, "Two trucks fell into the river when the old bridge near Calgary gave way, nobody was hurt, no?"),
    (BRIDGE, "No joke! Two trucks fell into the river when the old bridge near Calgary gave way, nobody was hurt"),
    (BRIDGE, "RT @ann: Two trucks fell into the river when the old bridge near Calgary gave way, nobody was hurt"),
    (BRIDGE, "RT @ann RT @bob: Two trucks fell into the river when the old bridge near Calgary gave way, nobody w…"),
    (BRIDGE, "Two trucks fell into the river when the old bridge near Calgary gave way, nobody was hurt #yyc #flood"),
    (BRIDGE, "#YYC Two trucks fell into the river when the old bridge near #Calgary gave way, nobody was hurt"),
    (
        BRIDGE,
        "Two trucks fell into the river when the old bridge near Calgary gave way, nobody was hurt http://t.co/aB3x",
    ),
    (BRIDGE, "@bob @cleo Two trucks fell into the river when the old bridge near Calgary gave way, nobody was hurt"),
    (BRIDGE, "TWO TRUCKS FELL INTO THE RIVER WHEN THE OLD BRIDGE NEAR CALGARY GAVE WAY, NOBODY WAS HURT"),
    (BRIDGE, "two trucks fell into the river when the old bridge near calgary gave way, nobody was hurt"),
    (BRIDGE, "Two Trucks Fell Into The River When The Old Bridge Near Calgary Gave Way, Nobody Was Hurt"),
    (BRIDGE, "BREAKING: Two trucks fell into the river when the old bridge near Calgary gave way, nobody was hurt"),
    (
        "UPDATE: Two trucks fell into the river when the old bridge near Calgary gave way",
        "BREAKING: Two trucks fell into the river when the old bridge near Calgary gave way",
    ),
    (
        "Reuters: Two trucks fell into the river when the old bridge near Calgary gave way",
        "BBC: Two trucks fell into the river when the old bridge near Calgary gave way",
    ),
    (
        "Two trucks fell into the river when the old bridge near Calgary gave way - CNN",
        "Two trucks fell into the river when the old bridge near Calgary gave way (AP)",
    ),
    (BRIDGE, "Two trucks fell into the river when the old bridge near Calgary gave way; nobody was hurt!!! 😱😱"),
    (BRIDGE, "🚨 Two trucks fell into the river when the old bridge near Calgary gave way — nobody was hurt"),
    (BRIDGE, "“Two trucks fell into the river when the old bridge near Calgary gave way, nobody was hurt” wow"),
    (BRIDGE, "Oh no! Two trucks fell into the river when the old bridge near Calgary gave way, nobody was hurt"),
    (BRIDGE, "Two trucks fell into the river when the old bridge near Calgary gave way, nobody was hurt. Not good."),
    (BRIDGE, "Two trucks fell into the river when the old bridge near Calgary gave way, no one was hurt"),
    (BRIDGE, "Two trucks fell in the river when the old brigde near Calgary gave way, nobody was hurt"),
    (BRIDGE, "Two trucks fell into the river when the old bridge near Calgray gave way, nobody was hurt"),
    (BRIDGE, "Two lorries fell into the river when the old bridge near Calgary gave way, nobody was hurt"),
    (BRIDGE, "Two trucks fell into the river as an old bridge near Calgary gave way, and nobody was hurt"),
    (BRIDGE, "Two trucks fell into the river when the old bridge near Calgary gave way, nobody was hurt, says Redford"),
    (BRIDGE, "Two trucks fell into the river when the old bridge near Calgary gave way, nobody was hurt (via @Acme)"),
    (BRIDGE, "Two trucks just fell into the river when the very old bridge near Calgary gave way, nobody was hurt"),
    (BRIDGE, "Two trucks fell into the river when the old bridge near Calgary gave way, nobody was"),
    (ROBOT, "Acme won't recall its kitchen robots, says Jane Doe of the safety board in Boston"),
    (ROBOT, "Acme won’t recall its kitchen robots, says Jane Doe of the safety board in Boston"),
    (ROBOT, "Acme won&#39;t recall its kitchen robots, says Jane Doe of the safety board in Boston"),
    (ROBOT, "ACME WILL NOT RECALL ITS KITCHEN ROBOTS, says Jane Doe of the safety board in Boston"),
    (ROBOT, "Acme will not recall its kitchen robots, says Jane Doe of the safety board in Bos"),
    (ROBOT, "Acme will NOT recall its kitchen robots, says Jane Doe of the Safety Board in Boston"),
    (ROBOT, "Acme will never recall its kitchen robots, says Jane Doe of the safety board in Boston"),
    (ROBOT, "Acme will not recall its kitchen robots, said Jane Doe of the safety board in Boston"),
    (ROBOT, "Acme’s board: Acme will not recall its kitchen robots, says Jane Doe of the safety board in Boston"),
    (ROBOT, "VIDEO: Acme will not recall its kitchen robots, says Jane Doe of the safety board in Boston | Watch"),
    (ROBOT, "Acme will not recall its kitchen robots - says Jane Doe of the “safety board” in Boston."),
    (
        "I dont know why the trains are late again this morning",
        "I don't know why the trains are late again this morning",
    ),
    ("He didn't say that the plan for the schools is wrong", "He did not say that the plan for the schools is wrong"),
    (
        "Not only the trains are late again, the buses are late as well",
        "The trains are late again, the buses are late as well",
    ),
    (
        "A boy of the flooded village found 75,000 dollars in a well",
        "A girl of the flooded village found 75.000 dollars in a well",
    ),
    (
        "Der Zug nach Wien fällt heute aus, sagt die Bahn am Morgen",
        "RT @bahn: Der Zug nach Wien fällt heute aus, sagt die Bahn am Morgen #öbb",
    ),
    (
        "Los trenes a Madrid no salen hoy, dice la empresa esta mañana",
        "ÚLTIMA HORA: los trenes a Madrid no salen hoy, dice la empresa esta mañana",
    ),
];

/// Sentences with a gap, and words to fill it. The words of a row have the same meaning; those of two rows do not.
const GAPS: &[(&str, &[&[&str]])] = &[
    ("Acme shares {} after the quarterly results on Monday", &[&["−5%", "-5%", "–5 %", "minus 5%"], &["+5%", "5%"]]),
    ("Acme: earnings per share were {} in the third quarter", &[&["-0.05", "−0.05"], &["0.05", "+0.05"]]),
    ("In the old town it is {} this morning, and the ice holds", &[&["−5 °C", "-5°C", "-5 C"], &["5 °C"], &["5°F"]]),
    ("{} in the old town this morning, and the ice holds", &[&["−5 °C", "minus 5°C"], &["5 °C", "+5°C"]]),
    ("Acme agrees to a {} deal for kitchen robots", &[&["$5bn", "$5 bn", "$5 billion", "$5B"], &["$5m", "$5 million"]]),
    ("Acme has sold {} kitchen robots since last spring", &[&["5m", "5 million"], &["5bn"], &["5k"], &["5 trillion"]]),
    ("The museum opens its doors at {} on Friday", &[&["10 am", "10am", "10 a.m."], &["10 pm", "10PM", "10 p.m."]]),
    ("Acme {} the estimates for the third quarter", &[&["beats"], &["misses"]]),
    ("Acme {} the forecasts of the market again", &[&["tops"], &["trails"]]),
    ("The robot maker {} a fifth of its value in a week", &[&["gains"], &["loses"]]),
    ("The robot maker {} a fifth in early trading on Monday", &[&["gains"], &["falls"]]),
    ("The price of kitchen robots {} in all regions", &[&["rises"], &["declines"]]),
    ("Acme reports a {} of three million for the last quarter", &[&["profit"], &["loss"]]),
    ("The central bank {} its main rate by a quarter point", &[&["raises"], &["cuts"]]),
    ("Three banks {} the shares of the kitchen robot maker", &[&["upgrade"], &["downgrade"]]),
    ("The gap between the two parties {} a week before the vote", &[&["widens"], &["narrows"]]),
    // No signs, and a length.
    ("The storm took the roof of {} of all homes in the villages", &[&["5-10%", "5–10 %", "5 - 10%"]]),
    ("A study of {} among children in the villages came out", &[&["covid-19", "Covid 19"]]),
    ("News of the storm on {} in the villages near the mill", &[&["2024-11-30", "2024/11/30"]]),
    ("News of the bridge: {} after two trucks fell into the river", &[&["-5 dead", "- 5 dead", "5 dead"]]),
    ("The film about the flooded villages is on {} tonight", &[&["Disney+", "Disney"]]),
    ("The river is {} deep at the old mill, so no boat can pass", &[&["5m", "5 m", "5 metres"]]),
];

#[test]
fn different_signs_units_or_opposites_separate_sentences() {
    let mut wrong = Vec::new();
    for (sentence, rows) in GAPS {
        let words: Vec<(usize, &str)> =
            (0..).zip(*rows).flat_map(|(row, words)| words.iter().map(move |word| (row, *word))).collect();
        for ((row, word), (other_row, other)) in
            words.iter().flat_map(|one| words.iter().map(move |other| (one, other)))
        {
            let (a, b) = (post(&sentence.replace("{}", word)), post(&sentence.replace("{}", other)));
            let has_key = a.as_ref().zip(b.as_ref()).is_some_and(|(a, b)| a.bands.last() == b.bands.last());
            let is_same = row == other_row;
            if are_copies(a.as_ref(), b.as_ref()) != is_same || has_key && !is_same {
                wrong.push(format!("{word} / {other}: {sentence}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn contradicting_texts_are_separate_and_rewordings_stay_together() {
    let mut wrong = Vec::new();
    for (pairs, together) in [(APART, false), (TOGETHER, true)] {
        for (one, other) in pairs {
            let (a, b) = (post(one), post(other));
            let verdicts = [are_copies(a.as_ref(), b.as_ref()), are_copies(b.as_ref(), a.as_ref())];
            if verdicts != [together; 2] {
                wrong.push(format!("{verdicts:?}: {one} / {other}"));
            }
        }
    }
    let joined = |list: &[(&str, &str)]| {
        list.iter().filter(|(one, other)| are_copies(post(one).as_ref(), post(other).as_ref())).count()
    };
    let (contradicting, rewordings) = (joined(APART), joined(TOGETHER));
    let line = format!("made pairs that say something else: {contradicting} of {} called copies", APART.len());
    writeln!(std::io::stderr(), "{line}; rewordings: {rewordings} of {}", TOGETHER.len()).ok();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
