//! How large a page is: in a window of a real browser, and on paper.

use std::process::Command;

use crate::support::program::Place;

fn browse(browser: &str, place: &Place) -> Command {
    let mut command = Command::new(browser);
    // Chromium's sandbox does not work as root; the pages are files of the tests.
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]);
    command.arg(format!("--user-data-dir={}", place.path("profile").display()));
    command
}

/// The DOM of a file after its scripts had some seconds.
pub fn dom(browser: &str, place: &Place, file: &str) -> String {
    let mut command = browse(browser, place);
    command.args(["--virtual-time-budget=4000", "--dump-dom"]);
    let said = command.arg(format!("file://{}", place.path(file).display())).output().unwrap();
    String::from_utf8_lossy(&said.stdout).into_owned()
}

/// Opens a page in a window of this width and evaluates numbers of its root element `d`, with commas between them. The
/// page may forbid scripts, so it is measured from inside another page.
pub fn measure_in_window(browser: &str, place: &Place, page: &str, width: u32, numbers: &str) -> Vec<i64> {
    let frame = format!(
        "<!doctype html><meta name=color-scheme content=\"light dark\"><body style=margin:0><iframe id=f style=\"border:0;width:{width}px;height:800px\" srcdoc=\"{}\"></iframe>\
         <script>f.onload=()=>{{const d=f.contentDocument.documentElement;document.title=[{}].join(' ')}}</script>",
        page.replace('&', "&amp;").replace('"', "&quot;"),
        numbers
    );
    std::fs::write(place.path("frame.html"), frame).unwrap();
    let dom = dom(browser, place, "frame.html");
    let title = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
    let title = title.unwrap_or_else(|| panic!("not measured: {dom}"));
    title.split(' ').map(|number| number.parse().unwrap_or_else(|_| panic!("{title}"))).collect()
}

/// The height of a report, by how much it is wider than the window, and where the list of all topics ends.
pub fn measure_report(browser: &str, place: &Place, file: &str, width: u32) -> (i64, i64, i64) {
    let page = std::fs::read_to_string(place.path(file)).unwrap();
    let wanted = format!(
        "d.scrollHeight,d.scrollWidth-{width},Math.ceil(d.querySelector('.glance').parentNode.getBoundingClientRect().bottom)"
    );
    match measure_in_window(browser, place, &page, width, &wanted)[..] {
        [height, wider, end] => (height, wider, end),
        ref other => panic!("{other:?}"),
    }
}

/// The number of printed pages.
pub fn printed_pages(browser: &str, place: &Place, file: &str) -> usize {
    let mut command = browse(browser, place);
    command.arg("--no-pdf-header-footer").arg(format!("--print-to-pdf={}", place.path("printed.pdf").display()));
    let done = command.arg(format!("file://{}", place.path(file).display())).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let pdf = std::fs::read(place.path("printed.pdf")).unwrap();
    String::from_utf8_lossy(&pdf).matches("/Type /Page\n").count()
}
