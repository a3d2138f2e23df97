// Checks every page of a built site against the HTML standard; prints what is wrong, by page and line, as JSON.
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { FileSystemConfigLoader, HtmlValidate } from "html-validate";

const rules = {
  // What is drawn by KaTeX carries its measures in style attributes; the tests see that nothing else does.
  "no-inline-style": "off",
  // Every script and style sheet comes from the site itself, beside the page that would state its hash.
  "require-sri": "off",
  // Blank ends of lines are left by templates; they are not seen, and compressed they are next to nothing.
  "no-trailing-whitespace": "off",
  // The standard lets it be written either way.
  "doctype-style": ["error", { style: "lowercase" }],
  // The standard asks for no letter in front, and headings such as "1. Names" have ids made of their text.
  "valid-id": ["error", { relaxed: true }],
  // The calculator and the comparison answer each change at once and send nothing, so there is nothing to submit.
  "wcag/h32": "off",
  // How long a title is follows from the names in the content; the site's own comes last, where lists cut it off.
  "long-title": "off",
};
const config = { root: true, extends: ["html-validate:recommended", "html-validate:document"], rules };
const validator = new HtmlValidate(new FileSystemConfigLoader(config));
const site = process.argv[2];
const names = (await readdir(site, { recursive: true })).filter((name) => name.endsWith(".html")).sort();
const found = [];
for (const name of names) {
  const { results } = await validator.validateString(await readFile(path.join(site, name), "utf8"), name);
  for (const { messages } of results)
    for (const { ruleId, message, line, column } of messages) found.push({ page: name, rule: ruleId, message, line, column });
}
console.log(JSON.stringify({ pages: names, found }));
