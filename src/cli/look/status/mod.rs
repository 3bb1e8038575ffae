//! `status`: the state of each topic and today's cost. Works as a health check: the store must be reachable.

mod budgets;
mod overdue;
mod pages;
mod text;
mod totals;

use std::io::Write as _;

use clap::Args;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::json_list::JsonList;
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::insight::SourceSilence;
use overdue::overdue_line;
use pages::Pages;
use text::StatusText;
use totals::Totals;

#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Exit with 3 when a source is stale or silent (stale,silent)
    #[arg(long, value_name = "STATES", value_delimiter = ',', value_parser = ["stale", "silent"], hide_possible_values = true)]
    pub fail_on: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Use this time as now, for tests and trials
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

pub(in crate::cli) async fn run(common: &Common, args: &StatusArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, args.at.as_deref())?;
    let store = context.store_to_read().await?;
    let totals = Totals::read(&context, &store).await?;
    let mut pages = Pages::of(&store, &context.config.topics);
    let fails = if args.json {
        let fails = print_json(args, &totals, &mut pages).await?;
        store.close().await;
        fails
    } else {
        let mut text = StatusText::new();
        let mut fails = false;
        while let Some(page) = pages.next().await? {
            text.add(&page, &totals);
            fails |= has_named_state(args, &page.silences);
        }
        let unjudged = pages.unjudged;
        let overdue = overdue_line(&store, &text.overdue, totals.now).await?;
        // Before writing: a reader that stops reading holds no connection.
        store.close().await;
        let mut out = output::stdout();
        text.write(&mut out, &totals, overdue, unjudged)?;
        out.flush()?;
        fails
    };
    Ok(if fails { Exit::Searches } else { Exit::Ok })
}

/// Writes page by page. Returns whether a topic has a state of `--fail-on`.
async fn print_json(args: &StatusArgs, totals: &Totals<'_>, pages: &mut Pages<'_>) -> Result<bool, Failure> {
    let mut out = output::stdout();
    let mut list = JsonList::begin(&mut out, "topics", &totals.to_json(0))?;
    let mut fails = false;
    while let Some(page) = pages.next().await? {
        for status in &page.topics {
            list.push(&totals.topic_to_json(status, &page))?;
        }
        fails |= has_named_state(args, &page.silences);
    }
    list.end(&totals.to_json(pages.unjudged))?;
    out.flush()?;
    Ok(fails)
}

fn has_named_state(args: &StatusArgs, silences: &[SourceSilence]) -> bool {
    silences.iter().any(|silence| args.fail_on.iter().any(|state| state == silence.state.as_str()))
}
