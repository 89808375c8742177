//! Colours that colour-blind readers can tell apart, on a light and on a dark page.
//!
//! Tints and shades of the eight colours of Okabe and Ito's palette for colour-blind readers. The
//! offset is in every cell, so that a colour never carries meaning alone.

use super::model::CLASSES;

/// A colour and the colour of text upon it, as red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Paint {
    /// Background of the cell.
    pub(super) fill: [u8; 3],
    /// Text on it.
    pub(super) ink: [u8; 3],
}

const BLACK: [u8; 3] = [0x11, 0x11, 0x11];
const WHITE: [u8; 3] = [0xF5, 0xF5, 0xF5];

const LIGHT: [[u8; 3]; CLASSES as usize] = [
    [0xB5, 0xDD, 0xF5], // sky blue
    [0xF5, 0xD4, 0x8A], // orange
    [0x8F, 0xD3, 0xBE], // green
    [0xF8, 0xF2, 0xAB], // yellow
    [0x80, 0xB9, 0xD9], // blue
    [0xEB, 0xB0, 0x8A], // vermilion
    [0xE6, 0xBC, 0xD3], // purple
    [0xCC, 0xCC, 0xCC], // grey
];

const DARK: [[u8; 3]; CLASSES as usize] = [
    [0x2B, 0x66, 0x88], // sky blue
    [0x84, 0x5B, 0x00], // orange
    [0x00, 0x64, 0x48], // green
    [0x6E, 0x67, 0x1C], // yellow
    [0x00, 0x4F, 0x7D], // blue
    [0x8F, 0x3F, 0x00], // vermilion
    [0x7D, 0x47, 0x66], // purple
    [0x55, 0x55, 0x55], // grey
];

/// The paint of a class on a light page.
pub(super) fn light(class: i64) -> Paint {
    Paint {
        fill: pick(&LIGHT, class),
        ink: BLACK,
    }
}

/// The paint of a class on a dark page.
pub(super) fn dark(class: i64) -> Paint {
    Paint {
        fill: pick(&DARK, class),
        ink: WHITE,
    }
}

/// Fill and ink of each class, for a style sheet.
pub(crate) fn colours(is_dark: bool) -> Vec<(String, String)> {
    let paint = if is_dark { dark } else { light };
    (0..CLASSES)
        .map(paint)
        .map(|paint| (hex(paint.fill), hex(paint.ink)))
        .collect()
}

/// `#rrggbb`.
pub(super) fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn pick(colours: &[[u8; 3]; CLASSES as usize], class: i64) -> [u8; 3] {
    colours
        .get(class.rem_euclid(CLASSES) as usize)
        .copied()
        .unwrap_or(WHITE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WCAG relative luminance.
    fn luminance(colour: [u8; 3]) -> f64 {
        let [red, green, blue] = colour.map(|channel| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.039_28 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    #[test]
    fn text_is_readable_on_every_colour() {
        for class in 0..CLASSES {
            for paint in [light(class), dark(class)] {
                let (a, b) = (luminance(paint.fill), luminance(paint.ink));
                let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                assert!(
                    contrast >= 4.5,
                    "class {class}: contrast {contrast:.1} of {paint:?}"
                );
            }
        }
    }
}
