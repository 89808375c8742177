//! Meanings of the attributes of Triton's dialects (Triton 3.9; of older ones also the division of blocks).

use cute_algebra::triton::{
    Blocked, DotOperand, Encoding, Input, Mma, NvmmaShared, Padded, Padding, Remapping,
    SharedLinear, Slice, Swizzled, TensorMemory, TensorMemoryScales,
};
use cute_algebra::{Refusal, Rule, Verdict};
use tree_sitter_cute::attribute::{Attribute, Data, Item};

/// Vectors of coordinates: one for each bit.
type Bases = Vec<Vec<u64>>;

/// The encoding that an attribute is.
pub(super) fn encoding(attribute: &Attribute) -> Result<Encoding, Refusal> {
    let mut fields = Fields::of(attribute);
    let encoding = match attribute.name.as_str() {
        "ttg.linear" | "ttg.generic_linear" => {
            let inputs = [Input::Register, Input::Lane, Input::Warp, Input::Block];
            let bases =
                inputs.map(|input| Ok((input, fields.bases(input.name())?.unwrap_or_default())));
            Encoding::Linear(bases.into_iter().collect::<Result<_, Refusal>>()?)
        }
        "ttg.blocked" => Encoding::Blocked(Blocked {
            size_per_thread: fields.numbers("sizePerThread")?,
            threads_per_warp: fields.numbers("threadsPerWarp")?,
            warps: fields.numbers("warpsPerCTA")?,
            order: fields.order()?,
            blocks: fields.blocks()?,
        }),
        "ttg.slice" => Encoding::Slice(Slice {
            dimension: fields.index("dim")?,
            parent: Box::new(fields.parent()?),
        }),
        "ttg.dot_op" => Encoding::DotOperand(DotOperand {
            operand: fields.number("opIdx")?,
            packed: fields.optional("kWidth")?.unwrap_or(0),
            parent: Box::new(fields.parent()?),
        }),
        "ttg.nvidia_mma" => {
            fields.optional("versionMinor")?;
            Encoding::Mma(Mma {
                version: fields.number("versionMajor")?,
                warps: fields.numbers("warpsPerCTA")?,
                instruction: fields.numbers("instrShape")?,
                blocks: fields.blocks()?,
            })
        }
        "ttg.shared_linear" => Encoding::SharedLinear(SharedLinear {
            offset: fields.bases("offset")?.unwrap_or_default(),
            block: fields.bases("block")?.unwrap_or_default(),
            alignment: fields.number("alignment")?,
        }),
        "ttg.swizzled_shared" => Encoding::Swizzled(Swizzled {
            vec: fields.number("vec")?,
            per_phase: fields.number("perPhase")?,
            max_phase: fields.number("maxPhase")?,
            order: fields.order()?,
            blocks: fields.blocks()?,
        }),
        "ttg.padded_shared" => Encoding::Padded(fields.padded()?),
        "ttg.nvmma_shared" => {
            let blocks = fields.blocks()?;
            Encoding::NvmmaShared(NvmmaShared {
                swizzle_bytes: fields.number("swizzlingByteWidth")?,
                transposed: fields.flag("transposed")?,
                element_bits: fields.number("elementBitWidth")?,
                fp4_padded: fields.flag("fp4Padded")?,
                rank: match fields.optional("rank")? {
                    Some(rank) => usize::try_from(rank).unwrap_or(usize::MAX),
                    None => blocks.first().map_or(MATRIX_RANK, Vec::len),
                },
                blocks,
            })
        }
        "ttng.tensor_memory_encoding" => Encoding::TensorMemory(TensorMemory {
            rows: fields.number("blockM")?,
            columns: fields.number("blockN")?,
            column_stride: fields.number("colStride")?,
            blocks: fields.blocks()?,
            two_blocks: fields.flag("twoCTAs")?,
            fp4_padded: fields.flag("fp4Padded")?,
        }),
        "ttng.tensor_memory_scales_encoding" => Encoding::TensorMemoryScales(TensorMemoryScales {
            blocks: fields.blocks()?,
        }),
        name => {
            let refusal = unsupported().with("attribute", format!("#{name}"));
            // A name of the IR, which has no dialect.
            let is_name = !name.contains('.') && attribute.items.is_empty();
            return Err(if is_name {
                refusal.with(
                    "needs",
                    format!("its definition in front, `#{name} = #ttg. ..`"),
                )
            } else {
                refusal
            });
        }
    };
    fields.are_all_read()?;
    Ok(encoding)
}

/// The default rank of `#ttg.nvmma_shared`.
const MATRIX_RANK: usize = 2;

/// The extents of a tensor.
pub(super) fn extents(shape: &[i64]) -> Result<Vec<u64>, Refusal> {
    let extents = shape.iter().enumerate().map(|(dimension, &extent)| {
        u64::try_from(extent).map_err(|_| {
            let rule = Rule::NegativeStride;
            Refusal::new(rule, Verdict::Accepts)
                .with("extent", extent)
                .inside(dimension)
        })
    });
    extents.collect()
}

fn unsupported() -> Refusal {
    Refusal::new(Rule::Unsupported, Verdict::Accepts)
}

/// The fields of an attribute, each taken out as it is read.
struct Fields<'a> {
    attribute: &'a Attribute,
    items: Vec<&'a Item>,
}

impl<'a> Fields<'a> {
    /// Those in its records, and those beside them.
    fn of(attribute: &'a Attribute) -> Self {
        let items = attribute
            .items
            .iter()
            .flat_map(|item| match (&item.key, &item.data) {
                (None, Data::Record(inner)) => inner.iter().collect(),
                _ => vec![item],
            });
        Self {
            attribute,
            items: items.collect(),
        }
    }

    fn are_all_read(&self) -> Result<(), Refusal> {
        match self.items.first() {
            None => Ok(()),
            Some(item) => {
                let field = item.key.clone().unwrap_or_else(|| item.data.to_string());
                Err(self.wrong().with("field_that_is_not_known", field))
            }
        }
    }

    fn wrong(&self) -> Refusal {
        unsupported().with("attribute", format!("#{}", self.attribute.name))
    }

    fn take(&mut self, key: &str) -> Option<&'a Data> {
        let at = self
            .items
            .iter()
            .position(|item| item.key.as_deref() == Some(key))?;
        Some(&self.items.remove(at).data)
    }

    fn missing(&self, key: &str) -> Refusal {
        self.wrong().with("field_that_is_missing", key)
    }

    fn unfit(&self, key: &str, data: &Data) -> Refusal {
        self.wrong()
            .with("field", key)
            .with("cannot_be", data.to_string())
    }

    fn optional(&mut self, key: &str) -> Result<Option<u64>, Refusal> {
        match self.take(key) {
            None => Ok(None),
            Some(data) => as_number(data)
                .map(Some)
                .ok_or_else(|| self.unfit(key, data)),
        }
    }

    fn number(&mut self, key: &str) -> Result<u64, Refusal> {
        self.optional(key)?.ok_or_else(|| self.missing(key))
    }

    fn index(&mut self, key: &str) -> Result<usize, Refusal> {
        Ok(usize::try_from(self.number(key)?).unwrap_or(usize::MAX))
    }

    /// `true` or `false`; a flag that is not there is `false`.
    fn flag(&mut self, key: &str) -> Result<bool, Refusal> {
        match self.take(key) {
            None => Ok(false),
            Some(Data::Word(word)) if word == "true" => Ok(true),
            Some(Data::Word(word)) if word == "false" => Ok(false),
            Some(data) => Err(self.unfit(key, data)),
        }
    }

    fn maybe_numbers(&mut self, key: &str) -> Result<Option<Vec<u64>>, Refusal> {
        match self.take(key) {
            None => Ok(None),
            Some(data) => as_numbers(data)
                .map(Some)
                .ok_or_else(|| self.unfit(key, data)),
        }
    }

    fn numbers(&mut self, key: &str) -> Result<Vec<u64>, Refusal> {
        self.maybe_numbers(key)?.ok_or_else(|| self.missing(key))
    }

    fn order(&mut self) -> Result<Vec<usize>, Refusal> {
        let order = self.numbers("order")?;
        Ok(dimensions(&order))
    }

    fn bases(&mut self, key: &str) -> Result<Option<Bases>, Refusal> {
        match self.take(key) {
            None => Ok(None),
            Some(data) => {
                let bases = as_list(data).and_then(|bases| bases.map(as_numbers).collect());
                bases.map(Some).ok_or_else(|| self.unfit(key, data))
            }
        }
    }

    /// The parts of the tensor that blocks have: bases, or as Triton up to 3.5 wrote it how many blocks there are, into
    /// how many parts they divide each dimension, and in which order.
    fn blocks(&mut self) -> Result<Bases, Refusal> {
        if let Some(bases) = self.bases("CGALayout")? {
            return Ok(bases);
        }
        let Some(counts) = self.maybe_numbers("CTAsPerCGA")? else {
            return Ok(Vec::new());
        };
        let splits = self.numbers("CTASplitNum")?;
        let order = dimensions(&self.numbers("CTAOrder")?);
        let mut bases = Vec::new();
        for dimension in order {
            let pair = (counts.get(dimension), splits.get(dimension));
            let (Some(&count), Some(&split)) = pair else {
                return Err(self.wrong().with("dimension_of_CTAOrder", dimension));
            };
            let (bits, all) = (split.max(1).ilog2(), count.max(1).ilog2());
            if 1 << bits != split || 1 << all != count || split > count {
                return Err(self
                    .wrong()
                    .with("blocks_of_a_dimension", number(count))
                    .with("parts", number(split)));
            }
            for bit in 0..all {
                let mut basis = vec![0; counts.len()];
                if let Some(step) = basis.get_mut(dimension) {
                    *step = if bit < bits { 1 << bit } else { 0 };
                }
                bases.push(basis);
            }
        }
        Ok(bases)
    }

    fn parent(&mut self) -> Result<Encoding, Refusal> {
        match self.take("parent") {
            Some(Data::Attribute(parent)) => encoding(parent),
            Some(data) => Err(self.unfit("parent", data)),
            None => Err(self.missing("parent")),
        }
    }

    /// `<[4:+4] {order = [1, 0], shape = [4, 8]}>`, or with the bases of the offset.
    fn padded(&mut self) -> Result<Padded, Refusal> {
        let at = self.items.iter().position(|item| item.key.is_none());
        let Some(written) = at.map(|at| &self.items.remove(at).data) else {
            return Err(self.missing("padding"));
        };
        let paddings = as_list(written).and_then(|list| list.map(as_padding).collect());
        let paddings = paddings.ok_or_else(|| self.unfit("padding", written))?;
        let remapping = match self.bases("offset")? {
            Some(offset) => Remapping::Bases {
                offset,
                block: self.bases("block")?.unwrap_or_default(),
            },
            None => Remapping::Order {
                order: self.order()?,
                shape: self.numbers("shape")?,
                blocks: self.blocks()?,
            },
        };
        Ok(Padded {
            paddings,
            remapping,
        })
    }
}

fn as_number(data: &Data) -> Option<u64> {
    match data {
        Data::Int(value) => u64::try_from(*value).ok(),
        _ => None,
    }
}

fn as_list(data: &Data) -> Option<impl Iterator<Item = &Data>> {
    match data {
        Data::List(items) => Some(items.iter().map(|item| &item.data)),
        _ => None,
    }
}

fn as_numbers(data: &Data) -> Option<Vec<u64>> {
    as_list(data)?.map(as_number).collect()
}

fn as_padding(data: &Data) -> Option<Padding> {
    match data {
        Data::Padding(interval, padding) => Some(Padding {
            interval: u64::try_from(*interval).ok()?,
            padding: u64::try_from(*padding).ok()?,
        }),
        _ => None,
    }
}

fn dimensions(numbers: &[u64]) -> Vec<usize> {
    let as_index = |number: &u64| usize::try_from(*number).unwrap_or(usize::MAX);
    numbers.iter().map(as_index).collect()
}

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
