// Eleventy with KaTeX and Prism at build, and nothing else: the fastest way that it has to make these pages.
import highlight from "@11ty/eleventy-plugin-syntaxhighlight";
import { katex } from "@mdit/plugin-katex";
import markdown from "markdown-it";

export default function configure(eleventy) {
  eleventy.addPlugin(highlight);
  eleventy.setLibrary("md", markdown({ html: true }).use(katex));
  eleventy.addPassthroughCopy({
    "node_modules/katex/dist/katex.min.css": "katex/katex.min.css",
    "node_modules/katex/dist/fonts": "katex/fonts",
  });
  eleventy.addGlobalData("layout", "page.njk");
  return { dir: { input: "docs", includes: "../_inc", output: "site" }, markdownTemplateEngine: false };
}
