//! Made-up pages, used to choose when a headline alone or a snippet alone makes copies: stories with other headlines or
//! passages on each site, series that reuse a headline, and boilerplate in place of a snippet. `cargo test --lib
//! near::page_tests -- --nocapture` prints the figures of docs/dev/near-copies-measured.md.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::io::Write as _;

use super::property_tests::{are_copies, page};

/// A story: its headline, another site's headline for it, and passages of the article, the first from its beginning.
struct Story(&'static str, &'static str, [&'static str; 3]);

const STORIES: [Story; 12] = [
    Story(
        "Village floods after three days of rain",
        "Rain without end: what happened in the valley",
        [
            "A man from the village said on Monday that the river had never been as high as this in his life.",
            "Three days of rain have flooded most of the village; forty houses were cleared and the school is closed.",
            "Firefighters pumped water out of cellars until late at night while neighbours filled sandbags at the bridge.",
        ],
    ),
    Story(
        "Acme recalls 20,000 electric cars over battery fires",
        "Car maker Acme calls back vehicles after fires",
        [
            "Acme is recalling 20,000 of its electric cars after reports that batteries caught fire while they were charging.",
            "Owners are asked to park outside and away from buildings until a dealer has replaced the pack, the company said.",
            "The regulator opened its inquiry in March after a garage burned down in Ohio; nobody was hurt in any of the cases.",
        ],
    ),
    Story(
        "Central bank raises interest rates by half a point to fight inflation",
        "Borrowing gets dearer as bank moves against rising prices",
        [
            "The central bank raised its main interest rate by half a percentage point on Thursday, the steepest rise in a decade.",
            "Economists had expected a smaller step. The governor told reporters that prices would keep rising until the autumn.",
            "Mortgage holders face hundreds more a month; lenders said they would pass on the change within days.",
        ],
    ),
    Story(
        "Scientists find water ice in craters near the Moon's south pole",
        "Frozen water discovered on the Moon, researchers say",
        [
            "Water ice lies on the floor of craters that never see the sun, a team of scientists reports in Nature Astronomy.",
            "The orbiter measured how neutrons were slowed down by hydrogen in the uppermost metre of lunar soil.",
            "Future crews could drink it, breathe its oxygen, or turn it into rocket fuel for journeys further out.",
        ],
    ),
    Story(
        "Striker signs new five-year deal with Rovers until 2031",
        "Rovers keep their top scorer for five more seasons",
        [
            "Rovers have announced that their striker has signed a new five-year contract, ending months of rumours about a move.",
            "He scored 31 goals last season and was named player of the year by both fans and fellow professionals.",
            "\"This is my home,\" he said at the ground on Tuesday. The manager called it the best news of the summer.",
        ],
    ),
    Story(
        "Hackers steal data of two million patients from hospital group",
        "Two million patient records taken in attack on clinics",
        [
            "Hackers took names, addresses and treatment records of two million patients from the hospital group, it said on Friday.",
            "The intruders were in the network for eleven days before an administrator noticed unusual traffic at night.",
            "Operations were put off and ambulances sent elsewhere while staff went back to pen and paper.",
        ],
    ),
    Story(
        "Parliament votes to ban single-use plastic from next year",
        "Plastic cups and straws to vanish under new law",
        [
            "Parliament has voted by a large majority to ban single-use plastic such as cups, straws and cutlery from next January.",
            "Restaurants complained that alternatives cost three times as much; environmental groups said the rules come too late.",
            "The minister promised help for small businesses and a transition of six months for stocks that were bought before.",
        ],
    ),
    Story(
        "Wildfire forces thousands from their homes in northern Greece",
        "Thousands flee as flames reach Greek towns",
        [
            "Thousands of people were told to leave their homes overnight as a wildfire driven by strong winds spread in northern Greece.",
            "Eleven aircraft dropped water on the front, but pilots had to stop at dusk; crews from Romania are on the way.",
            "Smoke could be seen from a hundred kilometres away and the motorway to the border was closed in both directions.",
        ],
    ),
    Story(
        "Start-up Widgetly raises $40 million to make robots for kitchens",
        "Widgetly gets fresh money for its kitchen robots",
        [
            "Widgetly, which builds robots that cook in restaurant kitchens, has raised $40 million led by Globex Ventures.",
            "The company has eighty employees in Lyon and plans to hire as many again, its founder said in an interview.",
            "Critics doubt that chains will pay: earlier attempts at automatic burgers and pizza ended in bankruptcy.",
        ],
    ),
    Story(
        "Court rules that museum must return bronzes to Nigeria",
        "Judges order return of looted Benin art",
        [
            "The museum must return 72 bronzes that soldiers took in 1897 to Nigeria, a court ruled on Wednesday.",
            "Curators had argued that the statute of 1963 forbids them to give anything away without an act of parliament.",
            "A new building for the collection is planned in Benin City, paid for in part by donors from abroad.",
        ],
    ),
    Story(
        "Train drivers to strike for three days over pay",
        "No trains from Tuesday: union calls walkout",
        [
            "Train drivers will strike for three days next week in a dispute over pay, their union said after talks broke down.",
            "Commuters should expect hardly any service; replacement buses will run between the largest cities only.",
            "The operator called the demand of nine percent unreal and offered to go to arbitration instead.",
        ],
    ),
    Story(
        "New vaccine halves cases of malaria among children, study finds",
        "Malaria jab protects infants in large African trial",
        [
            "A new vaccine against malaria halved the number of cases among young children in a trial in four African countries.",
            "Each dose costs less than four dollars and can be stored in an ordinary refrigerator, which matters in rural clinics.",
            "Researchers followed 4,800 infants in Mali, Kenya, Tanzania and Burkina Faso for eighteen months.",
        ],
    ),
];

/// A headline that is reused, and the texts under it.
const SERIES: [(&str, [&str; 3]); 12] = [
    (
        "Daily briefing: what you need to know this morning",
        [
            "Markets fell sharply on Monday as oil prices rose and the bank held its rates for now.",
            "The prime minister faces a vote on the new budget while nurses go on strike in the north.",
            "A storm took the roof of the old station last night and trains in the region stand still.",
        ],
    ),
    (
        "Morning update: five things to know before markets open",
        [
            "Futures point lower after a weak start in Asia; Acme reports its earnings for the quarter at noon.",
            "The dollar is at its highest since May, and two of the largest miners are said to talk about a merger.",
            "Chip makers rallied overnight on a forecast from Taiwan; retail sales for June are due later today.",
        ],
    ),
    (
        "The weekly newsletter: our best stories of the week",
        [
            "How a baker from Porto saved a forgotten kind of wheat, and why the night train to Vienna is back at last.",
            "Inside the harbour that nobody wanted; a conversation with the woman who counts penguins for a living.",
            "The chess club that plays by post, twelve soups for January, and a house that was built in eleven days.",
        ],
    ),
    (
        "Letters to the editor: what our readers think",
        [
            "Your article on cycle lanes overlooks that delivery vans park in them all day long, writes M. Harris.",
            "As a teacher for thirty years I can only shake my head at the plan to shorten the summer holidays.",
            "The opera deserves its subsidy. Those who have never sat in the gallery should not judge its price.",
        ],
    ),
    (
        "Police log: arrests and incidents of the past week",
        [
            "A bicycle worth 900 dollars was taken from a porch on Elm Street; officers stopped a driver near the mill.",
            "A deer was hit on Route 9. Two men argued about a fence on Pine Road and were told to go home.",
            "Caller reported a smell of gas at the bakery; a wallet with cash was handed in by a schoolgirl.",
        ],
    ),
    (
        "Today in history: what happened on this day",
        [
            "In 1912 the liner left Southampton on her first voyage; in 1970 Paul McCartney said that the band was over.",
            "The treaty of Tordesillas divided the new lands between Spain and Portugal, and a comet was sighted from Kraków.",
            "Birth of the physicist who first split the nucleus; a bridge across the Tay collapses in a gale.",
        ],
    ),
    (
        "Weather forecast for the weekend in your region",
        [
            "Sunny spells and up to 24 degrees on Saturday, thunder from the west in the evening, cooler on Sunday.",
            "Fog in the valleys will clear slowly; snow above 900 metres and icy roads during the night to Monday.",
            "A strong wind from the north brings showers to the coast while inland it stays mostly dry and mild.",
        ],
    ),
    (
        "Live blog: follow the latest developments here",
        [
            "Rescue teams have reached the mine; families are waiting at the gate. The governor will speak at six.",
            "Goal! Rovers equalise in the 87th minute after a corner. Four minutes of added time are shown.",
            "Counting goes on in three states and lawyers of both campaigns have gone to court over postal ballots.",
        ],
    ),
    (
        "Podcast: the interview of the week, episode transcript",
        [
            "We talk with a volcanologist about living beside Etna, the smell of sulphur and why she never married.",
            "How do you insure a satellite? Our guest has underwritten eighty launches and lost only three of them.",
            "From refugee to chef: he arrived with a knife and a recipe, and now there is a queue around the block.",
        ],
    ),
    (
        "Product review: is it really worth your money?",
        [
            "The blender is loud, heavy and takes up half of the counter, but nothing else makes almond butter so smooth.",
            "After a month with these headphones the battery still lasts all day; only the case scratches too easily.",
            "A tent that pitches in two minutes sounds good until the first gale. We spent a wet night on Skye to find out.",
        ],
    ),
    (
        "Job of the day: we are hiring, apply online now",
        [
            "Nurse for the intensive care unit in Leeds, full time, with a bonus for night shifts and a flat to rent.",
            "Warehouse clerk with forklift licence wanted in Rotterdam; start in September, lunch and parking free.",
            "Our museum seeks a bookbinder for its collection of maps, four days a week, two years to begin with.",
        ],
    ),
    (
        "Recipe of the day: quick and easy for the whole family",
        [
            "Fry the onions until golden, add lentils and stock and let it all simmer for half an hour; serve with yoghurt.",
            "Whisk eggs and sugar, fold in ground hazelnuts and bake in a springform tin at 170 degrees.",
            "Marinate the mackerel with lime and chilli, grill for three minutes a side and pile on flatbread.",
        ],
    ),
];

/// Boilerplate in place of a snippet.
pub(super) const EVERYWHERE: [&str; 8] = [
    "We use cookies and similar methods to make our site work. Please enable JavaScript in your browser and reload the page to read on.",
    "We value your privacy. We and our partners store and access information on a device, such as cookies, and process personal data.",
    "This content is available to subscribers only. Subscribe now to read on, or log in if you already have an account with us.",
    "Please verify that you are a human. Checking your browser before you access the site. This process is automatic.",
    "Get the latest breaking news, sports, business, entertainment, weather and politics from our newsroom around the clock.",
    "Your one-stop source for local news, events, classified ads and opinions. Follow us on Facebook and sign up for our newsletter.",
    "All rights reserved. This material may not be published, broadcast, rewritten or redistributed without permission.",
    "Sorry, you have been blocked. You are unable to access this site. Why have I been blocked? This website is using a security service.",
];

const SHORT: &str = "Subscribe to read on.";

fn copies(one: (&str, &str), other: (&str, &str)) -> bool {
    are_copies(page(one.0, one.1).as_ref(), page(other.0, other.1).as_ref())
}

/// The number of pairs called copies, and of all pairs.
fn counted(pairs: impl IntoIterator<Item = bool>) -> (usize, usize) {
    pairs.into_iter().fold((0, 0), |(copies, all), copy| (copies + usize::from(copy), all + 1))
}

fn say(what: &str, (copies, all): (usize, usize)) {
    writeln!(std::io::stderr(), "{what}: {copies} of {all} called copies").ok();
}

#[test]
fn boilerplate_under_every_headline_joins_no_stories() {
    let pairs = STORIES.iter().enumerate().flat_map(|(n, a)| STORIES.iter().skip(n + 1).map(move |b| (a, b)));
    let wrong = counted(pairs.flat_map(|(a, b)| EVERYWHERE.map(|text| copies((a.0, text), (b.0, text)))));
    say("pages of two stories with one text of a site", wrong);
    assert!(wrong.0 * 50 <= wrong.1, "{wrong:?}");
    assert!(STORIES.iter().all(|story| copies((story.0, EVERYWHERE[0]), (story.0, EVERYWHERE[0]))), "one headline");
}

#[test]
fn a_reused_headline_joins_no_texts() {
    let wrong = counted(
        SERIES
            .iter()
            .flat_map(|(title, [a, b, c])| [(a, b), (a, c), (b, c)].map(|(x, y)| copies((title, x), (title, y)))),
    );
    say("pages of a series", wrong);
    assert_eq!(wrong.0, 0);
}

#[test]
fn pages_with_the_same_headline_are_copies_despite_other_passages() {
    for Story(title, _, [first, ..]) in &STORIES {
        let site = format!("{title} | The Other Post");
        assert!(copies((title, first), (&site, SHORT)), "{title}: too short to decide");
        assert!(copies((title, first), (&site, "")), "{title}: nothing");
        let (begin, end) = first.split_at(first.char_indices().nth(first.chars().count() / 3).unwrap().0);
        let shifted = format!("{end} {begin} and more of what was said on that day");
        assert!(copies((title, first), (title, &shifted)), "{title}: another cut");
    }
    let with_first =
        STORIES.iter().flat_map(|Story(title, _, [a, b, c])| [b, c].map(|x| copies((title, a), (title, x))));
    let found = counted(with_first);
    say("pages of a story with its first passage and another", found);
    assert!(found.0 * 10 >= found.1 * 9, "{found:?}");
    let later = counted(STORIES.iter().map(|Story(title, _, [_, b, c])| copies((title, b), (title, c))));
    say("pages of a story with two later passages", later);
}

#[test]
fn pages_with_the_same_first_passage_are_copies_despite_another_headline() {
    let found = counted(STORIES.iter().map(|Story(title, other, [a, ..])| copies((title, a), (other, a))));
    say("pages of a story under two headlines, with its first passage", found);
    assert!(found.0 * 10 >= found.1 * 9, "{found:?}");
    let later = counted(
        STORIES.iter().flat_map(|Story(title, other, [_, b, c])| [b, c].map(|x| copies((title, x), (other, x)))),
    );
    say("the same with a later passage", later);
    assert!(copies(("Roof gone", STORIES[0].2[2]), (STORIES[0].1, STORIES[0].2[2])), "a short title is ignored");
}

#[test]
fn pages_are_separated_by_contradictions_in_headline_or_text() {
    let words =
        "The maker of kitchen robots spoke about the fires on Monday after two weeks of silence, and its shares moved.";
    let copies = |a: (&str, &str), b: (&str, &str)| are_copies(page(a.0, a.1).as_ref(), page(b.0, b.1).as_ref());
    let recall = "Acme to recall kitchen robots after fires in three countries";
    assert!(copies((recall, words), (&format!("{recall} | The Other Post"), words)));
    assert!(!copies((recall, words), ("Acme not to recall kitchen robots after fires in three countries", words)));
    let status = "Incident with the login service in the western region";
    let status_text = |state: &str| {
        format!("Some users cannot log in to their accounts; the state of the incident is {state} as of this hour")
    };
    assert!(!copies((status, &status_text("investigating")), (status, &status_text("resolved"))));
}
