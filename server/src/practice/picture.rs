//! Pictures of the products, drawn.

use super::{catalog::Product, html::escape};

/// A picture of a product. `alt` is its name; none where the name stands beside it.
pub(super) fn product(product: &Product, alt: Option<&str>) -> String {
    let hue = product.hue;
    let role = match alt {
        Some(alt) => format!("role=\"img\" aria-label=\"{}\"", escape(alt)),
        None => "aria-hidden=\"true\"".to_owned(),
    };
    format!(
        "<svg class=\"picture\" viewBox=\"0 0 160 120\" {role} style=\"--ink:hsl({hue} 38% 34%);--glow:hsl({hue} 70% 74%);\
         --ground:hsl({hue} 30% 93%)\"><rect width=\"160\" height=\"120\" fill=\"var(--ground)\"/>{}</svg>",
        shape(product.category.slug)
    )
}

fn shape(category: &str) -> &'static str {
    match category {
        "desk-lamps" => {
            "<ellipse cx=\"62\" cy=\"101\" rx=\"26\" ry=\"5\" fill=\"var(--ink)\"/>\
             <path d=\"M62 98 48 62 86 36\" fill=\"none\" stroke=\"var(--ink)\" stroke-width=\"5\" stroke-linejoin=\"round\"/>\
             <path d=\"m80 26 26 16-22 20q-16-14-4-36z\" fill=\"var(--ink)\"/>\
             <path d=\"m92 58 16-15 34 50H96z\" fill=\"var(--glow)\" opacity=\".75\"/>"
        }
        "floor-lamps" => {
            "<path d=\"M56 46 66 16h28l10 30z\" fill=\"var(--glow)\"/><path d=\"M80 46v58\" stroke=\"var(--ink)\" stroke-width=\"4\"/>\
             <path d=\"M56 46h48\" stroke=\"var(--ink)\" stroke-width=\"3\"/><ellipse cx=\"80\" cy=\"106\" rx=\"24\" ry=\"4\" fill=\"var(--ink)\"/>"
        }
        "lanterns" => {
            "<path d=\"M66 34q14-26 28 0\" fill=\"none\" stroke=\"var(--ink)\" stroke-width=\"4\"/>\
             <path d=\"M56 34h48l4 10H52z\" fill=\"var(--ink)\"/><rect x=\"58\" y=\"44\" width=\"44\" height=\"48\" rx=\"4\" fill=\"var(--glow)\"/>\
             <path d=\"M80 84q-12-12 0-28 12 16 0 28z\" fill=\"var(--ink)\" opacity=\".55\"/>\
             <path d=\"M52 92h56v10H52z\" fill=\"var(--ink)\"/>"
        }
        "hand-tools" => {
            "<path d=\"M22 84h116v10H22z\" fill=\"var(--ink)\"/><path d=\"M34 84q2-18 22-18h44q16 0 18 18z\" fill=\"var(--glow)\"/>\
             <path d=\"m70 66 14-30 8 4-12 26z\" fill=\"var(--ink)\"/><circle cx=\"44\" cy=\"58\" r=\"9\" fill=\"var(--ink)\"/>\
             <path d=\"M104 66q2-22 16-24l4 8q-8 4-8 16z\" fill=\"var(--ink)\"/>"
        }
        "measuring" => {
            "<path d=\"m20 80 50-44 8 9-50 44z\" fill=\"var(--glow)\"/><path d=\"m68 38 34 52-10 6-34-52z\" fill=\"var(--ink)\"/>\
             <path d=\"m92 88 42-48 9 8-42 48z\" fill=\"var(--glow)\"/><path d=\"m34 78 5 6m4-13 5 6m4-13 5 6m48 12 5 5m3-14 5 5m3-14 5 5\" \
             stroke=\"var(--ink)\" stroke-width=\"2\"/>"
        }
        _ => {
            "<path d=\"M40 58h22v26H40zM98 58h22v26H98z\" fill=\"var(--ink)\"/><path d=\"M62 64h36v10H62z\" fill=\"var(--glow)\"/>\
             <path d=\"M30 84h100v12H30z\" fill=\"var(--ink)\"/><path d=\"M120 69h26\" stroke=\"var(--ink)\" stroke-width=\"5\"/>\
             <path d=\"M146 54v30\" stroke=\"var(--glow)\" stroke-width=\"6\" stroke-linecap=\"round\"/>"
        }
    }
}
