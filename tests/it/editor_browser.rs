//! A new user with a browser and no shell adds a topic, sees it run, opens its report and downloads it as CSV. Prints a
//! line and skips where there is no browser. Screenshots go to the folder in TEST_SCREENSHOTS.

use serde_json::json;

use crate::support::browser::DrivenBrowser;
use crate::support::browser::find_browser;
use crate::support::daemons::sandbox_of_today;
use crate::support::databases::sqlite;
use crate::support::program::Place;
use crate::support::web_client::Pages;

/// Does something that leads to another page, and waits for it.
fn follow(driven: &mut DrivenBrowser, press: &str, to: &str) {
    // A mark on the page that is left: both may have the same path.
    driven.evaluate(&format!("document.isLeft = true; {press}"));
    let there = format!("location.pathname.startsWith('{to}')");
    driven.wait_until(to, &format!("!document.isLeft && document.readyState === 'complete' && {there}"));
}

/// Takes screenshots of the page when TEST_SCREENSHOTS is set.
fn picture(driven: &mut DrivenBrowser, name: &str) {
    use base64::Engine as _;
    let Ok(folder) = std::env::var("TEST_SCREENSHOTS") else { return };
    for (wide, scheme) in [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")] {
        driven.command(
            "Emulation.setDeviceMetricsOverride",
            &json!({ "width": wide, "height": 1400, "deviceScaleFactor": 1, "mobile": wide < 500 }),
        );
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        driven.command("Emulation.setEmulatedMedia", &json!({ "features": features }));
        let shot = driven.command("Page.captureScreenshot", &json!({ "format": "png", "captureBeyondViewport": true }));
        let bytes = base64::engine::general_purpose::STANDARD.decode(shot["data"].as_str().unwrap()).unwrap();
        std::fs::write(std::path::Path::new(&folder).join(format!("editor-{name}-{wide}-{scheme}.png")), bytes)
            .unwrap();
    }
}

#[test]
fn a_new_user_adds_a_topic_sees_it_run_and_downloads_report_and_csv() {
    let Some(browser) = find_browser() else { return };
    let sandbox = sandbox_of_today(&["source=social,delay=5s"]);
    let file = "[web]\nlisten = \"127.0.0.1:0\"\n# kept\n[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nevery = \"12h\"\n\n\
                [[alerts]]\nname = \"many\"\nrule = \"items\"\n";
    let place = Place::new(sqlite(), &sandbox.lines(), file);
    let pages = Pages::wait_for_address(place.program(&["run"]).start());
    let mut driven = DrivenBrowser::start(&browser, &place);
    driven.command("Page.enable", &json!({}));
    let home = place.path("downloads");
    driven.command("Page.setDownloadBehavior", &json!({ "behavior": "allow", "downloadPath": home }));
    driven.open(&format!("http://{}/", pages.address));
    picture(&mut driven, "first");
    follow(
        &mut driven,
        "[...document.querySelectorAll('a')].find(a => a.textContent === 'Add a topic').click()",
        "/jobs/new",
    );
    let type_in = |driven: &mut DrivenBrowser, key: &str, words: &str| {
        driven.evaluate(&format!("document.querySelector('[name={key}]').value = {}", json!(words)));
    };
    type_in(&mut driven, "id", "rust");
    type_in(&mut driven, "query", "rust async");
    type_in(&mut driven, "sources", "social, web");
    type_in(&mut driven, "every", "soon");
    let press = |button: &str| format!("document.querySelector('button[value={button}]').click()");
    driven.evaluate(&press("save"));
    let beside = driven.wait_until("the mistake", "document.querySelector('#about-every .bad')?.innerText");
    assert!(beside.as_str().unwrap().contains("hint"), "{beside}");
    picture(&mut driven, "wrong");
    type_in(&mut driven, "every", "6h");
    driven.evaluate(&press("preview"));
    driven.wait_until("the preview", "document.querySelector('#preview') !== null");
    driven.evaluate(&press("try"));
    driven.wait_until("three results", "document.querySelectorAll('form ol.found > li').length === 3");
    picture(&mut driven, "preview");
    follow(&mut driven, &press("save"), "/topics/rust");
    // The page reloads until the daemon has loaded the topic.
    driven.wait_until("the button", "document.querySelector('input[value=run_now]') !== null");
    follow(&mut driven, "document.querySelector('input[value=run_now]').form.requestSubmit()", "/progress/");
    driven.wait_until("the running search", "document.querySelector('#progress').innerText.includes('searching …')");
    picture(&mut driven, "asking");
    driven
        .wait_until("its end", "/found, (≥\\s)?\\d+ new.*, cost/.test(document.querySelector('#progress').innerText)");
    picture(&mut driven, "ran");
    follow(
        &mut driven,
        "[...document.querySelectorAll('a')].find(a => a.textContent === 'The topic').click()",
        "/topics/rust",
    );
    picture(&mut driven, "topic");
    let csv = "[...document.querySelectorAll('a')].find(a => a.textContent === 'Download CSV')";
    driven.evaluate(&format!("{csv}.click()"));
    // Near-copies are folded, as on the page.
    let list: serde_json::Value =
        serde_json::from_str(&pages.page("/api/v1/topics/rust/items?limit=100")).expect("a list of items");
    let found = list["data"].as_array().map_or(0, Vec::len);
    assert!(list["next"].is_null(), "{list}");
    crate::support::program::wait_until("the CSV", || {
        let files = std::fs::read_dir(&home).into_iter().flatten().filter_map(Result::ok);
        let whole = files.filter(|file| file.path().extension().is_some_and(|end| end == "csv"));
        let lines = |file: std::fs::DirEntry| csv::Reader::from_path(file.path()).unwrap().records().count();
        whole.map(lines).any(|lines| lines == found)
    });
    assert!(found > 0);
    driven.evaluate("[...document.querySelectorAll('a')].find(a => a.textContent === 'Download report').click()");
    crate::support::program::wait_until("the report as a file", || {
        std::fs::read_to_string(home.join("topicwatch-rust.html")).is_ok_and(|text| text.contains("</html>"))
    });
    follow(
        &mut driven,
        "[...document.querySelectorAll('a')].find(a => a.textContent === 'Report').click()",
        "/topics/rust/report",
    );
    let report = driven.evaluate("document.querySelector('h1').innerText + getComputedStyle(document.body).fontFamily");
    assert!(report.as_str().unwrap().contains("rust"), "{report}");
    driven.open(&format!("http://{}/jobs", pages.address));
    picture(&mut driven, "settings");
    // On a phone the whole menu is in sight.
    let phone = json!({ "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true });
    driven.command("Emulation.setDeviceMetricsOverride", &phone);
    let inside = "[...document.querySelectorAll('header.top li a')].map(a => a.getBoundingClientRect())\
                  .every(at => at.left >= 0 && at.right <= 390)";
    assert_eq!(driven.evaluate(inside), true, "the menu");
    driven.command("Emulation.clearDeviceMetricsOverride", &json!({}));
    follow(&mut driven, "document.querySelector('a[href=\"/jobs?delete=rust\"]').click()", "/jobs");
    picture(&mut driven, "delete");
    follow(
        &mut driven,
        "[...document.querySelectorAll('button')].find(b => b.textContent === 'Delete').click()",
        "/jobs",
    );
    driven
        .wait_until("the undo button", "[...document.querySelectorAll('button')].some(b => b.textContent === 'Undo')");
    picture(&mut driven, "deleted");
    drop(driven);
    assert!(std::fs::read_to_string(place.path("jobs.toml")).unwrap().contains("# kept\n[[topics]]\nid = \"acme\""));
}
