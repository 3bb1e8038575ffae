//! Writes a workbook for spreadsheets (Office Open XML), row by row in constant memory and into a pipe, which the
//! libraries tried cannot. Numbers are numbers, instants are dates (UTC), ids and words are text whatever they look
//! like; there are no formulas. Rows that do not fit into a sheet go on in the next one. Text is cut at 32,767
//! characters, the most that a cell holds, and the cut cells are counted.

use std::fmt::Write as _;

use super::archive::Archive;
use super::out::Out;
use super::xml;
use crate::export::column::{Cell, Heading, Type, decimal};
use crate::model::Time;

/// Maximum number of rows of a sheet that spreadsheets open, its header included.
pub(in crate::export) const MOST_ROWS: u32 = 1_048_576;

/// Maximum number of bytes of a sheet, uncompressed.
const MOST_BYTES: u64 = 3_000_000_000;

/// Maximum number of characters of a cell, counted as spreadsheets count them, in UTF-16.
const MOST_IN_A_CELL: usize = 32_767;

/// The smallest number with more digits than the 15 a spreadsheet keeps.
const EXACT: u64 = 1_000_000_000_000_000;

/// Instants that spreadsheets can show: from 1900-03-01 on, before the year 10000.
const DATES: std::ops::Range<i64> = -2_203_891_200_000..253_402_300_800_000;

/// Indexes into the list of styles.
const HEADER: u8 = 1;
const DATE: u8 = 2;
const MONEY: u8 = 3;
const SCORE: u8 = 4;
const TEXT: u8 = 5;
const DAY: u8 = 6;

const SPREADSHEET: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";
const PROLOG: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

/// Writes a workbook.
pub(in crate::export) struct Writer<'w> {
    archive: Archive<'w>,
    title: &'static str,
    columns: Vec<Heading>,
    most_rows: u32,
    sheets: u32,
    /// Rows of the current sheet so far.
    rows: u32,
    /// Cells that were cut.
    cut: u64,
    line: String,
}

impl<'w> Writer<'w> {
    /// Starts a workbook whose sheets have this name and at most `most_rows` rows.
    pub(in crate::export) fn begin(
        out: Out<'w>,
        columns: &[&Heading],
        title: &'static str,
        most_rows: u32,
    ) -> std::io::Result<Self> {
        let columns = columns.iter().map(|column| **column).collect();
        let archive = Archive::new(out);
        let mut writer = Self { archive, title, columns, most_rows, sheets: 0, rows: 0, cut: 0, line: String::new() };
        writer.begin_sheet()?;
        Ok(writer)
    }

    fn begin_sheet(&mut self) -> std::io::Result<()> {
        self.sheets += 1;
        self.rows = 0;
        self.archive.begin(&format!("xl/worksheets/sheet{}.xml", self.sheets))?;
        let mut head = format!(
            "{PROLOG}<worksheet xmlns=\"{SPREADSHEET}\"><sheetViews><sheetView workbookViewId=\"0\"><pane ySplit=\"1\" \
             topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/></sheetView></sheetViews><cols>"
        );
        for (at, column) in (1..).zip(&self.columns) {
            let at: u32 = at;
            let width = match column.kind {
                Type::Time => 24,
                Type::Text if matches!(column.name, "text" | "title" | "url") => 48,
                Type::Text | Type::Id => 20,
                Type::Word | Type::Integer | Type::Decimal | Type::Money | Type::Date | Type::Flag => 12,
            };
            let _ = write!(head, "<col min=\"{at}\" max=\"{at}\" width=\"{width}\" customWidth=\"1\"/>");
        }
        head.push_str("</cols><sheetData>");
        self.archive.write(head.as_bytes())?;
        let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        self.begin_row();
        for (at, name) in names.into_iter().enumerate() {
            self.text(at, name, HEADER);
        }
        self.end_row()
    }

    fn begin_row(&mut self) {
        self.rows += 1;
        self.line.clear();
        // Writing into a string does not fail, here and below.
        let _ = write!(self.line, "<row r=\"{}\">", self.rows);
    }

    fn end_row(&mut self) -> std::io::Result<()> {
        self.line.push_str("</row>");
        self.archive.write(self.line.as_bytes())
    }

    /// Writes one row.
    pub(in crate::export) fn row(&mut self, cells: &[Cell<'_>]) -> std::io::Result<()> {
        if self.rows >= self.most_rows.max(2) || self.archive.size() >= MOST_BYTES {
            self.end_sheet()?;
            self.begin_sheet()?;
        }
        self.begin_row();
        for (at, cell) in cells.iter().enumerate() {
            match cell {
                Cell::Empty => {}
                Cell::Text(text) => self.text(at, text, TEXT),
                Cell::Id(text) | Cell::Word(text) => self.text(at, text, TEXT),
                Cell::Flag(flag) => {
                    let _ = write!(
                        self.line,
                        "<c r=\"{}{}\" t=\"b\"><v>{}</v></c>",
                        letters(at),
                        self.rows,
                        u8::from(*flag)
                    );
                }
                Cell::Integer(number) if number.unsigned_abs() < EXACT => self.number(at, &number.to_string(), 0),
                Cell::Integer(number) => self.text(at, &number.to_string(), TEXT),
                Cell::Money(micros) => self.number(at, &decimal(micros.0, 6), MONEY),
                Cell::Decimal(units, decimals) => {
                    self.number(at, &decimal(*units, *decimals), if *decimals == 3 { SCORE } else { 0 });
                }
                Cell::Date(day) => match Time::parse(&format!("{day}T00:00:00Z")).and_then(serial) {
                    Some(days) => self.number(at, &days.to_string(), DAY),
                    None => self.text(at, day, TEXT),
                },
                Cell::Time(when) => match serial(*when) {
                    Some(days) => self.number(at, &days.to_string(), DATE),
                    None => self.text(at, &when.iso_millis(), TEXT),
                },
            }
        }
        self.end_row()
    }

    fn number(&mut self, at: usize, number: &str, style: u8) {
        let _ = write!(self.line, "<c r=\"{}{}\" s=\"{style}\"><v>{number}</v></c>", letters(at), self.rows);
    }

    /// Writes text literally: a reader must not take `_x0041_` in it for an `A`.
    fn text(&mut self, at: usize, text: &str, style: u8) {
        let (text, cut) = shortened(text);
        self.cut += u64::from(cut);
        let _ = write!(
            self.line,
            "<c r=\"{}{}\" s=\"{style}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">",
            letters(at),
            self.rows
        );
        let odd = |out: &mut String, c: char| {
            let _ = write!(out, "_x{:04X}_", u32::from(c));
        };
        let mut rest = text;
        while let Some(found) = rest.find("_x") {
            let (before, after) = rest.split_at(found);
            xml::push(&mut self.line, before, odd);
            self.line.push_str(if is_escape(after) { "_x005F_" } else { "_" });
            rest = after.get(1..).unwrap_or("");
        }
        xml::push(&mut self.line, rest, odd);
        self.line.push_str("</t></is></c>");
    }

    fn end_sheet(&mut self) -> std::io::Result<()> {
        self.archive.write(b"</sheetData></worksheet>")?;
        self.archive.end()
    }

    /// Writes the parts that connect the sheets. Returns how many cells were cut.
    pub(in crate::export) fn finish(mut self) -> std::io::Result<u64> {
        self.end_sheet()?;
        let (mut sheets, mut parts, mut relations) = (String::new(), String::new(), String::new());
        for number in 1..=self.sheets {
            let name = if number == 1 { self.title.to_owned() } else { format!("{} {number}", self.title) };
            let _ = write!(sheets, "<sheet name=\"{name}\" sheetId=\"{number}\" r:id=\"rId{number}\"/>");
            let _ = write!(
                parts,
                "<Override PartName=\"/xl/worksheets/sheet{number}.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml\"/>"
            );
            let _ = write!(
                relations,
                "<Relationship Id=\"rId{number}\" Type=\"{RELATIONS}/worksheet\" Target=\"worksheets/sheet{number}.xml\"/>"
            );
        }
        let styles = self.sheets + 1;
        let _ =
            write!(relations, "<Relationship Id=\"rId{styles}\" Type=\"{RELATIONS}/styles\" Target=\"styles.xml\"/>");
        let workbook = format!(
            "{PROLOG}<workbook xmlns=\"{SPREADSHEET}\" xmlns:r=\"{RELATIONS}\"><sheets>{sheets}</sheets></workbook>"
        );
        self.archive.add_part("xl/workbook.xml", &workbook)?;
        self.archive.add_part("xl/_rels/workbook.xml.rels", &related(&relations))?;
        self.archive.add_part("xl/styles.xml", &format!("{PROLOG}{STYLES}"))?;
        let document =
            format!("<Relationship Id=\"rId1\" Type=\"{RELATIONS}/officeDocument\" Target=\"xl/workbook.xml\"/>");
        self.archive.add_part("_rels/.rels", &related(&document))?;
        let types = format!(
            "{PROLOG}<Types xmlns=\"{PACKAGE}/content-types\"><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
             <Override PartName=\"/xl/workbook.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/>\
             <Override PartName=\"/xl/styles.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml\"/>{parts}</Types>"
        );
        self.archive.add_part("[Content_Types].xml", &types)?;
        self.archive.finish()?;
        Ok(self.cut)
    }
}

fn related(relations: &str) -> String {
    format!("{PROLOG}<Relationships xmlns=\"{PACKAGE}/relationships\">{relations}</Relationships>")
}

/// Styles in the order of [`HEADER`] to [`DAY`], the plain one first.
const STYLES: &str = concat!(
    "<styleSheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">",
    "<numFmts count=\"4\"><numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\\-dd\\ hh:mm:ss.000\"/>",
    "<numFmt numFmtId=\"165\" formatCode=\"0.000000\"/><numFmt numFmtId=\"166\" formatCode=\"0.000\"/><numFmt numFmtId=\"167\" formatCode=\"yyyy\\-mm\\-dd\"/></numFmts>",
    "<fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font><font><b/><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts>",
    "<fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/></fill></fills>",
    "<borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>",
    "<cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs>",
    "<cellXfs count=\"7\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>",
    "<xf numFmtId=\"0\" fontId=\"1\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyFont=\"1\"/>",
    "<xf numFmtId=\"164\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/>",
    "<xf numFmtId=\"165\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/>",
    "<xf numFmtId=\"166\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/>",
    "<xf numFmtId=\"49\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/>",
    "<xf numFmtId=\"167\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/></cellXfs>",
    "<cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles></styleSheet>"
);

/// The name of a column: A to Z, AA, AB.
fn letters(at: usize) -> String {
    let one = |n: usize| char::from(b'A' + u8::try_from(n % 26).unwrap_or(0));
    if at < 26 { one(at).to_string() } else { format!("{}{}", one(at / 26 - 1), one(at)) }
}

/// Days as spreadsheets count them; `None` for instants that they cannot show.
fn serial(at: Time) -> Option<f64> {
    DATES.contains(&at.0).then(|| at.0 as f64 / 86_400_000.0 + 25_569.0)
}

/// As much of a text as a cell holds, and whether it was cut.
fn shortened(text: &str) -> (&str, bool) {
    if text.len() <= MOST_IN_A_CELL {
        return (text, false);
    }
    let mut units = 0;
    let end = text.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > MOST_IN_A_CELL
    });
    end.map_or((text, false), |(end, _)| (text.get(..end).unwrap_or(text), true))
}

/// Whether a reader would take this for an escaped character.
fn is_escape(text: &str) -> bool {
    let digits = text.get(2..6).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
    text.starts_with("_x") && digits.is_some() && text.as_bytes().get(6) == Some(&b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_like_in_spreadsheets() {
        assert_eq!([0, 25, 26, 51, 52].map(letters), ["A", "Z", "AA", "AZ", "BA"]);
    }

    #[test]
    fn instants_are_written_as_spreadsheet_day_numbers() {
        assert_eq!(serial(Time(1_773_219_600_000)), Some(46_092.375));
        assert_eq!(serial(Time(-2_203_891_200_000)), Some(61.0));
        assert_eq!((serial(Time(-2_203_891_200_001)), serial(Time(i64::MAX))), (None, None));
    }

    #[test]
    fn a_cell_is_cut_at_the_spreadsheet_limit() {
        assert_eq!(shortened(&"é".repeat(32_767)), ("é".repeat(32_767).as_str(), false));
        assert_eq!(shortened(&"é".repeat(32_768)), ("é".repeat(32_767).as_str(), true));
        assert_eq!(shortened(&"🎉".repeat(16_384)), ("🎉".repeat(16_383).as_str(), true));
    }
}
