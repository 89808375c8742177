//! Accesses at numbers that a thread keeps in an array in its registers, or that a loop changes by no simple rule.

use super::kernels::Writer;

/// The number of forms of [`Writer::kept`].
pub(super) const FORMS: i64 = 6;

impl Writer<'_> {
    /// Some lines with an access.
    pub(super) fn kept(&mut self, form: i64) {
        let index = self.index(2).text;
        let other = self.index(2).text;
        let by = self.random.between(1, 40);
        let count = self.random.between(2, 5);
        match form {
            0 => self.filled(&index, &other, (by, count)),
            1 => self.chosen(&index, &other, (by, count)),
            2 => self.nested(&index, (by, count)),
            3 => self.stepped(&index, (by, count)),
            _ => self.continued(&index, &other, by),
        }
    }

    /// One loop fills an array, the next one reads it.
    fn filled(&mut self, index: &str, other: &str, (by, count): (i64, i64)) {
        let (array, counter) = (self.name("a"), self.name("j"));
        let ty = self.random.pick(&["int", "unsigned", "long"]);
        self.line(format!("  {ty} {array}[{count}];"));
        let value = self.random.pick(&[
            "INDEX + COUNTER * BY",
            "(INDEX ^ COUNTER) + BY",
            "INDEX * (COUNTER + 1)",
            "COUNTER == 1 ? int(INDEX) : int(OTHER)",
        ]);
        let value = value
            .replace("INDEX", index)
            .replace("OTHER", other)
            .replace("BY", &by.to_string())
            .replace("COUNTER", &counter);
        self.line("#pragma unroll");
        self.line(format!(
            "  for (int {counter} = 0; {counter} < {count}; ++{counter}) {{ {array}[{counter}] = {value}; }}"
        ));
        if self.random.one_in(3) {
            let at = self.random.between(0, count - 1);
            self.line(format!("  {array}[{at}] += {by};"));
        }
        if self.random.one_in(2) {
            let at = self.random.between(0, count - 1);
            self.access(format!("out[{array}[{at}]]"), "out");
            return;
        }
        let again = self.name("j");
        self.enter(
            &again,
            &format!("for (int {again} = 0; {again} < {count}; ++{again}) {{"),
        );
        self.access(format!("in[{array}[{again}]]"), "in");
        self.leave();
    }

    /// An index of the thread chooses the element that is written, or the one that is read.
    fn chosen(&mut self, index: &str, other: &str, (by, count): (i64, i64)) {
        let array = self.name("a");
        self.line(format!("  int {array}[{count}] = {{int({index}), {by}}};"));
        let place = self.random.pick(&["tid", "lane", "warp", "(tid / 4)"]);
        let condition = self
            .random
            .pick(&["tid < 20", "lane != 3", "n > 7", "warp == 0"]);
        if self.random.one_in(2) {
            self.line(format!("  {array}[{place} % {count}] = {other};"));
        }
        if self.random.one_in(2) {
            let at = self.random.between(0, count - 1);
            self.line(format!("  if ({condition}) {{ {array}[{at}] = {other}; }}"));
        }
        let at = self.random.between(0, count - 1);
        if self.random.one_in(2) {
            self.access(format!("out[{array}[{place} % {count}]]"), "out");
        } else {
            self.access(format!("out[{array}[{at}]]"), "out");
        }
    }

    /// An array of arrays whose elements move on in each pass of a loop around.
    fn nested(&mut self, index: &str, (by, count): (i64, i64)) {
        let (array, row, column) = (self.name("a"), self.name("i"), self.name("j"));
        self.line(format!("  int {array}[2][{count}];"));
        self.line(format!(
            "  for (int {row} = 0; {row} < 2; ++{row}) for (int {column} = 0; {column} < {count}; ++{column}) {{ {array}[{row}][{column}] = {index} + {row} * 64 + {column} * {by}; }}"
        ));
        let outer = self.name("k");
        let head = self.random.pick(&[
            "for (int COUNTER = 0; COUNTER < 3; ++COUNTER) {",
            "for (int COUNTER = 0; COUNTER < lda; COUNTER += 16) {",
        ]);
        self.enter(&outer, &head.replace("COUNTER", &outer));
        self.enter(
            &column,
            &format!("for (int {column} = 0; {column} < {count}; ++{column}) {{"),
        );
        self.access(format!("out[{array}[1][{column}]]"), "out");
        self.line(format!("  {array}[1][{column}] += {by} * 4;"));
        self.leave();
        self.leave();
        self.access(format!("out[{array}[0][{count} - 1]]"), "out");
    }

    /// A variable that each pass of a short loop changes by no simple rule.
    fn stepped(&mut self, index: &str, (by, count): (i64, i64)) {
        let (value, counter) = (self.name("x"), self.name("j"));
        self.line(format!("  int {value} = {index};"));
        self.enter(
            &counter,
            &format!("for (int {counter} = 0; {counter} < {count}; ++{counter}) {{"),
        );
        self.access(format!("smem[{value}]"), "raw");
        let change = self.random.pick(&[
            "VALUE = (VALUE ^ 2) + BY;",
            "VALUE = VALUE * 2 % 1024;",
            "VALUE ^= COUNTER + 1;",
            "if (COUNTER == 1) { VALUE += BY; } else { VALUE ^= 1; }",
            "VALUE = BY + (VALUE + tid) % 64;",
        ]);
        let change = change
            .replace("VALUE", &value)
            .replace("COUNTER", &counter)
            .replace("BY", &by.to_string());
        self.line(format!("  {change}"));
        self.leave();
        if self.random.one_in(2) {
            self.access(format!("out[{value}]"), "out");
        }
    }

    /// A loop of which passes end in their middle.
    fn continued(&mut self, index: &str, other: &str, by: i64) {
        let (value, counter) = (self.name("x"), self.name("j"));
        self.line(format!("  int {value} = {index};"));
        let head = self.random.pick(&[
            "for (int COUNTER = 0; COUNTER < 5; ++COUNTER) {",
            "for (int COUNTER = 0; COUNTER < n; COUNTER += 8) {",
        ]);
        self.enter(&counter, &head.replace("COUNTER", &counter));
        let condition = self.random.pick(&[
            "COUNTER == 2",
            "COUNTER < lda / 32",
            "(tid + COUNTER) % 3 == 0",
            "warp == COUNTER",
            "tid < 7",
        ]);
        let (before, behind) = (
            self.random.pick(&["", "VALUE += BY;", "VALUE = OTHER;"]),
            self.random.pick(&["", "VALUE += BY;", "VALUE += 3;"]),
        );
        let line = format!("  if ({condition}) {{ {before} continue; }}");
        let fill = |text: &str| {
            text.replace("VALUE", &value)
                .replace("COUNTER", &counter)
                .replace("OTHER", other)
                .replace("BY", &by.to_string())
        };
        self.line(fill(&line));
        self.access(format!("out[{value} + {counter} * 64]"), "out");
        self.line(fill(&format!("  {behind}")));
        self.leave();
        if self.random.one_in(2) {
            self.access(format!("out[{value}]"), "out");
        }
    }
}
