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

/// All files; the first is the page itself.
pub const ASSETS: &[Asset] = &[
    Asset {
        path: "",
        media_type: "text/html; charset=utf-8",
        bytes: include_bytes!("../page/index.html"),
    },
    Asset {
        path: "style.css",
        media_type: "text/css; charset=utf-8",
        bytes: include_bytes!("../page/style.css"),
    },
    Asset {
        path: "page.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../page/page.js"),
    },
    Asset {
        path: "engine.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../page/engine.js"),
    },
    Asset {
        path: "elements.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../page/elements.js"),
    },
    Asset {
        path: "table.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../page/table.js"),
    },
    Asset {
        path: "picture.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../page/picture.js"),
    },
];
