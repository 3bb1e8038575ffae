//! How large a report is: in a window of a real browser, and on paper.

use std::process::Command;

use crate::support::program::Place;

/// Opens a page in a window of this width. Returns its height, by how much it is wider than the window, and where the
/// list of all topics ends.
pub fn measured(browser: &str, place: &Place, file: &str, width: u32) -> (i64, i64, i64) {
    let text = std::fs::read_to_string(place.path(file)).unwrap();
    // The page's CSP forbids scripts: it is measured from inside another page.
    let frame = format!(
        "<!doctype html><body style=margin:0><iframe id=f style=\"border:0;width:{width}px;height:800px\" srcdoc=\"{}\"></iframe>\
         <script>f.onload=()=>{{const d=f.contentDocument.documentElement;document.title=d.scrollHeight+' '+(d.scrollWidth-{width})+' '+Math.ceil(d.querySelector('.glance').parentNode.getBoundingClientRect().bottom)}}</script>",
        text.replace('&', "&amp;").replace('"', "&quot;")
    );
    std::fs::write(place.path("frame.html"), frame).unwrap();
    let mut command = Command::new(browser);
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--virtual-time-budget=4000",
        "--dump-dom",
    ]);
    command.arg(format!("--user-data-dir={}", place.path("profile").display()));
    let dom = command.arg(format!("file://{}", place.path("frame.html").display())).output().unwrap();
    let dom = String::from_utf8_lossy(&dom.stdout).into_owned();
    let title = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
    let title = title.unwrap_or_else(|| panic!("no title: {dom}")).to_owned();
    let mut numbers = title.split(' ').map(|number| number.parse::<i64>().unwrap_or_else(|_| panic!("{title}")));
    (numbers.next().unwrap(), numbers.next().unwrap(), numbers.next().unwrap())
}

/// The number of printed pages.
pub fn printed(browser: &str, place: &Place, file: &str) -> usize {
    let mut command = Command::new(browser);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer"]);
    command.arg(format!("--user-data-dir={}", place.path("profile").display()));
    command.arg(format!("--print-to-pdf={}", place.path("printed.pdf").display()));
    let done = command.arg(format!("file://{}", place.path(file).display())).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let pdf = std::fs::read(place.path("printed.pdf")).unwrap();
    String::from_utf8_lossy(&pdf).matches("/Type /Page\n").count()
}
