//! A table without lines. All cells share one string, so that a row costs little more than its characters.

use super::text::display_width;

/// Blanks between two columns.
const BETWEEN: usize = 2;

/// A table that is being filled.
pub(in crate::cli) struct Grid {
    columns: usize,
    /// Columns aligned to the right.
    numbers: Vec<usize>,
    widths: Vec<usize>,
    cells: String,
    /// Where each cell ends.
    ends: Vec<usize>,
}

impl Grid {
    pub(in crate::cli) fn new(header: &[&str], numbers: &[usize]) -> Self {
        let (widths, numbers) = (vec![0; header.len()], numbers.to_vec());
        let mut grid = Self { columns: header.len(), numbers, widths, cells: String::new(), ends: Vec::new() };
        grid.push(header);
        grid
    }

    /// Adds a row; missing cells are empty.
    pub(in crate::cli) fn push<S: AsRef<str>>(&mut self, row: &[S]) {
        for place in 0..self.columns {
            let cell = row.get(place).map_or("", AsRef::as_ref);
            self.cells.push_str(cell);
            self.ends.push(self.cells.len());
            if let Some(width) = self.widths.get_mut(place) {
                *width = display_width(cell).max(*width);
            }
        }
    }

    /// Returns the lines, without line breaks.
    pub(in crate::cli) fn lines(&self) -> impl Iterator<Item = String> {
        let mut begin = 0;
        self.ends.chunks(self.columns.max(1)).map(move |ends| {
            let mut line = String::new();
            for (place, (end, width)) in ends.iter().zip(&self.widths).enumerate() {
                let cell = self.cells.get(begin..*end).unwrap_or("");
                begin = *end;
                let blanks = " ".repeat(width - display_width(cell).min(*width));
                let (left, right) = if self.numbers.contains(&place) { (&*blanks, "") } else { ("", &*blanks) };
                line.extend([left, cell, right, &" ".repeat(BETWEEN)]);
            }
            line.truncate(line.trim_end().len());
            line
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut grid = Grid::new(&["topic", "new", "last"], &[1]);
        grid.push(&["a", "12345", "x y"]);
        grid.push(&["日本語", "≥1"]);
        let lines: Vec<String> = grid.lines().collect();
        assert_eq!(lines, ["topic     new  last", "a       12345  x y", "日本語     ≥1"]);
    }
}
