// SPDX-License-Identifier: Apache-2.0
// Builds one page: scripts and styles go inside, named by their hashes in the content security policy, so that the same
// file works from the program's server, from a disk and in an e-mail. Nothing is fetched from anywhere.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

function digest(text: string): string {
  return `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
}

/// The licences of what is compiled in travel with every page.
function notices(): string {
  const texts = ["three", "uplot"].map((name) => {
    const text = readFileSync(new URL(`node_modules/${name}/LICENSE`, import.meta.url), "utf8").trim();
    if (text.includes("--")) throw new Error(`the licence of ${name} cannot stand in a comment`);
    return `${name}\n\n${text}`;
  });
  return `<!--\nThis page contains:\n\n${texts.join("\n\n")}\n-->`;
}

function onePage(): Plugin {
  return {
    name: "one-page",
    enforce: "post",
    generateBundle(_options, bundle) {
      let script = "";
      let style = "";
      for (const [name, file] of Object.entries(bundle)) {
        if (name === "index.html") continue;
        if (file.type === "chunk") script += file.code;
        else if (name.endsWith(".css")) style += String(file.source);
        delete bundle[name];
      }
      script = script.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
      style = style.trim();
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("no index.html");
      const policy = [
        "default-src 'none'",
        `script-src ${digest(script)}`,
        `style-src ${digest(style)}`,
        "connect-src 'self'",
        "img-src data: blob:",
        "base-uri 'none'",
        "form-action 'none'",
      ].join("; ");
      const head = `<meta http-equiv="Content-Security-Policy" content="${policy}">\n<style>${style}</style>`;
      const html = String(page.source)
        .replace(/<script[^>]*src=[^>]*><\/script>\s*/g, "")
        .replace(/<link[^>]*stylesheet[^>]*>\s*/g, "");
      page.source = html
        .replace("</head>", () => `${notices()}\n</head>`)
        .replace("<!--repose-head-->", () => head)
        .replace("<!--repose-script-->", () => `<script type="module">${script}</script>`);
    },
  };
}

export default defineConfig({
  base: "./",
  build: { target: "es2022", assetsInlineLimit: 1 << 20, cssCodeSplit: false, modulePreload: false, chunkSizeWarningLimit: 4096 },
  plugins: [onePage()],
});
