// Docusaurus with KaTeX and Prism at build, its pages read as Markdown, and nothing from other hosts.
import { createRequire } from "node:module";
import rehypeKatex from "rehype-katex";
import remarkMath from "remark-math";

const require = createRequire(import.meta.url);

export default {
  title: "Benchmark",
  url: "http://localhost",
  baseUrl: "/",
  onBrokenLinks: "ignore",
  markdown: { format: "md" },
  presets: [
    [
      "classic",
      {
        docs: { routeBasePath: "/", remarkPlugins: [remarkMath], rehypePlugins: [rehypeKatex] },
        blog: false,
        theme: { customCss: require.resolve("katex/dist/katex.min.css") },
      },
    ],
  ],
};
