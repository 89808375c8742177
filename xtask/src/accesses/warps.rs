//! Accesses at numbers that each warp has for itself: loaded by it, exchanged in it, or counted by it.

use super::kernels::Writer;

/// The number of forms of [`Writer::of_warp`].
pub(super) const FORMS: i64 = 6;

impl Writer<'_> {
    /// Some lines with an access.
    pub(super) fn of_warp(&mut self, form: i64) {
        let index = self.index(2).text;
        let own = self.name("w");
        // The same for all lanes where rows of the block are whole warps.
        let warp = self.random.pick(&[
            "warp",
            "warp + 3",
            "(threadIdx.x / 64)",
            "(int(threadIdx.x & ~31u) >> 5)",
            "(warp * 5 + threadIdx.y)",
        ]);
        match form {
            0 => {
                self.line(format!("  const int {own} = indices[{warp}];"));
                self.access(format!("in[{own} * lda + {index}]"), "in");
            }
            1 => {
                self.line(format!(
                    "  const int {own} = __shfl_sync(0xffffffffu, indices[tid], 0);"
                ));
                self.access(format!("out[{own} * 64 + {index}]"), "out");
            }
            2 => {
                // The width is written where the number is the same before.
                self.line(format!(
                    "  const int {own} = __shfl_sync(0xffffffffu, {warp}, 0, 32);"
                ));
                self.access(format!("out[{own} * 48 + {index}]"), "out");
            }
            3 => {
                let bits = self.random.between(1, 33);
                self.line(format!(
                    "  const unsigned {own} = __ballot_sync(0xffffffffu, lane < {bits}) % 8;"
                ));
                self.access(format!("out[{own} * 32 + {index}]"), "out");
            }
            _ => {
                let (stages, counter) = (self.random.between(2, 6), self.name("j"));
                let ty = self.random.pick(&["int", "unsigned"]);
                self.line(format!("  {ty} {own} = {warp} % {stages};"));
                let first = self.random.pick(&["0", "warp"]);
                self.enter(
                    &counter,
                    &format!("for (int {counter} = {first}; {counter} < 7; ++{counter}) {{"),
                );
                self.access(format!("smem[{own} * 256 + {index}]"), "raw");
                let breaks = self.random.pick(&[
                    "",
                    "if (lda < COUNTER * 20) break;",
                    "if (warp + COUNTER > 5) break;",
                ]);
                let breaks = breaks.replace("COUNTER", &counter);
                let (before, behind) = if self.random.one_in(2) {
                    (breaks.as_str(), "")
                } else {
                    ("", breaks.as_str())
                };
                self.line(format!(
                    "  {before} if (++{own} == {stages}) {own} = 0; {behind}"
                ));
                self.leave();
                if form == 4 {
                    self.access(format!("smem[{own} * 128 + {index}]"), "raw");
                }
            }
        }
    }
}
