//! Measures posts scored per second on one core. Uses invented posts, and with `TOPICWATCH_TEST_DATA` also real ones.
#![allow(clippy::print_stdout, clippy::cast_precision_loss, reason = "a tool for the terminal")]

use std::time::{Duration, Instant};

use topicwatch::sentiment;

/// Long enough that pauses of a busy machine do not matter.
const AT_LEAST: Duration = Duration::from_secs(2);

const INVENTED: [&str; 6] = [
    "The new release of the dashboard is great, thank you so much to everybody who worked on it! 🎉 #release",
    "@support I have been waiting for two hours now and nobody answers, this is really not acceptable :(",
    "Acme opens its second office in Lisbon next month, with room for about forty people https://example.com/a",
    "Ich finde das neue Design leider nicht so gelungen, die alte Version war viel übersichtlicher",
    "esto no me lo esperaba, la actualización va de maravilla y la batería dura todo el día",
    "so the update deleted my settings AGAIN... never mind I guess, back to the old one until they fix it",
];

fn main() {
    measure("invented", &INVENTED.map(str::to_owned));
    let Some(data) = std::env::var_os("TOPICWATCH_TEST_DATA") else { return };
    let file = std::path::Path::new(&data).join("sentiment/tweeteval/sentiment_val_text.txt");
    match std::fs::read_to_string(&file) {
        Ok(posts) => measure("real", &posts.lines().map(str::to_owned).collect::<Vec<_>>()),
        Err(error) => println!("real posts left out: {}: {error}", file.display()),
    }
}

/// CPU time of the main thread in nanoseconds, if the system reports it.
fn cpu_time() -> Option<f64> {
    std::fs::read_to_string("/proc/self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

fn measure(name: &str, posts: &[String]) {
    // Build the tables before measuring: they are built at first use.
    let mut sum = sentiment::score("").score;
    let (mut times, begun, before) = (0usize, Instant::now(), cpu_time());
    while begun.elapsed() < AT_LEAST {
        sum += posts.iter().map(|post| sentiment::score(post).score).sum::<i64>();
        times += 1;
    }
    let count = (times * posts.len()) as f64;
    let seconds = begun.elapsed().as_secs_f64();
    // On a shared machine, CPU time shows what a dedicated core would take.
    let on_core = cpu_time().zip(before).map_or(seconds, |(after, before)| (after - before) / 1e9);
    println!("{name}: {:.0} posts/s, {:.0} a core second ({count} posts, sum {sum})", count / seconds, count / on_core);
}
