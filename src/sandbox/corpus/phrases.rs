//! The texts of the invented corpus: sentences with a placeholder for the query, and people and sites that do not
//! exist. Written for this project, neutral about every real brand.

/// A sentence and its language. `{q}` is the query, `{n}` a small number, `{p}` a person.
pub(crate) type Sentence = (&'static str, &'static str);

/// Posts in English, from delighted to furious, some neutral.
pub(crate) const ENGLISH: &[&str] = &[
    "Three weeks with {q} and I am not going back. It simply does what it says.",
    "Does anybody else think {q} got noticeably better lately? My evening went from {n} hours of work to one.",
    "Honestly impressed by the people behind {q}: question at noon, real answer {n} minutes later.",
    "I love how {q} handles the boring parts. Best decision our little team made this year!",
    "Huge thanks to {p} for explaining {q} to my whole class. Everybody got it at once :)",
    "{q} just saved my presentation. Owe somebody a coffee, or {n}.",
    "Finally tried {q} after {p} kept talking about it. Ok, fine, you were right. It is great.",
    "Unpopular opinion: {q} is worth every cent and the free options are a false economy.",
    "Our numbers after moving to {q}: {n} fewer complaints a day and a much calmer inbox. Wonderful.",
    "What a lovely community around {q}. Asked a beginner question and nobody laughed.",
    "{q} has been down for {n} hours and the status page is still green. Seriously?",
    "Cancelled {q} today. Support copied the same paragraph {n} times and closed my ticket.",
    "I want to like {q}, but the last update broke everything I use it for. So annoying.",
    "Paid twice for {q}, refunded once. Still waiting. This is a disgrace.",
    "Whoever decided to hide the settings of {q} behind {n} menus owes me an apology.",
    "Lost a whole afternoon to {q} again. Terrible timing, terrible documentation.",
    "Be careful with {q}: my export was missing {n} rows and nobody noticed for a week.",
    "The new pricing of {q} is absurd. We are a team of {n}, not a bank.",
    "Not a fan of what {q} did this week. Worst change in a long time.",
    "Is {q} slow for everyone or is it only me? Pages take {n} seconds here.",
    "{q} announced a public meeting for next Tuesday, {n} seats left according to the page.",
    "Reading up on {q} before tomorrow. Any good introductions that are shorter than {n} pages?",
    "Notes from today's talk on {q}: {n} slides, two demos, questions taken by {p}.",
    "Poll: how often do you run into {q} in a normal week? Daily, weekly, never?",
    "{p} published a comparison of {q} with {n} alternatives; the table at the end is the useful part.",
    "Looking for someone who knows {q} well, part time, about {n} days a month. Messages open.",
    "Today in {q}: a new version, {n} fixes, and a longer changelog than usual.",
    "We measured {q} on {n} machines. Results are within a few percent of last month.",
    "Thread: everything I learned about {q} in {n} years, in no particular order.",
    "If you are comparing {q} with something else, write down first what you need it for.",
    "The local paper has half a page about {q} today. Page {n}, below the weather.",
    "My neighbour asked me what {q} is. It took {n} minutes and a drawing.",
    "Good and bad: {q} is faster now, but the search is worse than it was.",
    "Mixed feelings about {q}. Great idea, rough edges, {n} open questions.",
    "Not bad at all, {q}. Not perfect either, but I have seen far worse this month.",
    "I thought {q} would be a disaster. It was fine. Almost disappointing ;)",
];

/// Posts in other languages.
pub(crate) const OTHER: &[Sentence] = &[
    ("de", "Seit {n} Tagen benutze ich {q} und bin wirklich zufrieden. Klare Empfehlung!"),
    ("de", "{q} funktioniert bei mir heute überhaupt nicht. Geht das nur mir so?"),
    ("de", "Kurzer Bericht über {q}: {n} Punkte, die gut sind, und einer, der ärgert."),
    ("de", "Morgen Abend reden wir über {q}. Eintritt frei, {n} Plätze noch offen."),
    ("de", "Der Kundendienst von {q} ist leider eine Katastrophe, ich warte seit {n} Stunden."),
    ("es", "Llevo {n} semanas con {q} y estoy encantada. Mucho mejor de lo que esperaba."),
    ("es", "¿Alguien más tiene problemas con {q} hoy? Aquí no carga desde hace {n} horas."),
    ("es", "Nueva guía sobre {q} en español, {n} páginas, gratis para todos."),
    ("es", "Qué decepción con {q}: cambiaron los precios sin avisar a nadie."),
    ("es", "Mañana charla sobre {q} a las {n}. Se puede seguir en directo."),
    ("ja", "{q}を{n}日間使ってみました。とても使いやすくて気に入りました！"),
    ("ja", "今日は{q}の調子が悪いみたい。{n}回試しても開けません。"),
    ("ja", "{q}についての記事を読みました。比較表がわかりやすいです。"),
    ("ja", "{q}の新しい料金は高すぎると思う。残念です。"),
];

/// Endings that may follow a post in any language.
pub(crate) const TAILS: &[&str] = &[
    "",
    "",
    "",
    "",
    " 🎉",
    " 😡",
    " 🤔",
    " #sandbox",
    " https://blog.example/notes/{n}",
    " (day {n})",
    " via @sandbox_{h}",
    " Thoughts?",
];

/// Templates that several authors post with different numbers: spam.
pub(crate) const SPAM: &[&str] = &[
    "🔥 {q} is trending! Get our free {q} checklist now, only {n} copies left 👉 https://offers.example/{n}",
    "Everybody is talking about {q}. Don't miss the {q} newsletter, {n} readers already joined: https://offers.example/n/{n}",
];

/// Second halves of invented handles: `@sandbox_amber`.
pub(crate) const PEOPLE: &[&str] = &[
    "amber", "basil", "cedar", "dahlia", "elm", "fennel", "ginkgo", "hazel", "iris", "juniper", "kelp", "laurel",
    "maple", "nettle", "olive", "poppy", "quince", "rowan", "sage", "thistle", "umbra", "violet", "willow", "yarrow",
    "zinnia", "agate", "beryl", "cobalt", "flint", "garnet", "jasper", "lapis", "onyx", "opal", "pearl", "quartz",
    "ruby", "slate", "topaz", "zircon",
];

/// Titles of pages.
pub(crate) const TITLES: &[&str] = &[
    "{q}: what changed this week",
    "Why everybody suddenly talks about {q}",
    "{q} explained in {n} minutes",
    "We tried {q} for {n} days. Here is what broke",
    "{q} against its alternatives: a table with {n} rows",
    "The quiet success of {q}",
    "Interview: {n} questions about {q}",
    "{q} raises prices, users are not amused",
    "A beginner's guide to {q}",
    "Release notes: {q} {n}.0",
    "Outage report: what happened to {q} on Tuesday",
    "Opinion: {q} deserves better documentation",
    "{n} mistakes to avoid with {q}",
    "Survey: {n} of 100 people know what {q} is",
];

/// Snippets of pages.
pub(crate) const SNIPPETS: &[&str] = &[
    "A short look at {q}, with the numbers of the past {n} days and what they do not show.",
    "Readers asked us about {q}. We collected {n} answers and checked each of them.",
    "This page is kept up to date and lists what is known about {q} so far.",
    "According to people who work with {q} every day, the first {n} days decide.",
    "The story of {q} from the first sketch to version {n}.",
];

/// Hosts of pages. Only reserved names, so that no real site is linked.
pub(crate) const HOSTS: &[&str] = &[
    "news.example",
    "daily.example",
    "blog.example",
    "forum.example",
    "docs.example",
    "www.example.com",
    "example.com",
    "example.org",
    "reviews.example.org",
];
