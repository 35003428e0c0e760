//! The files of the page.

/// A file of the page.
#[derive(Debug, Clone, Copy)]
pub struct Asset {
    /// Its path, beside the page.
    pub path: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// What is in it.
    pub bytes: &'static [u8],
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// All files; the first is the page itself.
pub const ASSETS: &[Asset] = &[
    asset("", "text/html; charset=utf-8", include_bytes!("../page/index.html")),
    asset("style.css", "text/css; charset=utf-8", include_bytes!("../page/style.css")),
    asset("page.js", SCRIPT, include_bytes!("../page/page.js")),
    asset("compare.js", SCRIPT, include_bytes!("../page/compare.js")),
    asset("engine.js", SCRIPT, include_bytes!("../page/engine.js")),
    asset("elements.js", SCRIPT, include_bytes!("../page/elements.js")),
    asset("folder.js", SCRIPT, include_bytes!("../page/folder.js")),
    asset("table.js", SCRIPT, include_bytes!("../page/table.js")),
    asset("values.js", SCRIPT, include_bytes!("../page/values.js")),
    asset("verify.js", SCRIPT, include_bytes!("../page/verify.js")),
    asset("picture.js", SCRIPT, include_bytes!("../page/picture.js")),
];

const fn asset(path: &'static str, media_type: &'static str, bytes: &'static [u8]) -> Asset {
    Asset { path, media_type, bytes }
}
