/* Runs the browser's side of search over files on disk: JSON in, JSON out.

   In: {"site": folder, "texts": [...], "queries": [...], "shown": how many hits of each group are looked up}.
   Out: {"words": the words of each text, "answers": for each query its groups, and the files it brought with the bytes
   that they have compressed}; each query begins with nothing at hand. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Index, words } from "../../templates/js/search-index.js";

let given = "";
for await (const part of process.stdin) given += part;
const { site, texts = [], queries = [], shown = 5 } = JSON.parse(given);

async function answer(query) {
  const files = [];
  const index = new Index(async (path) => {
    const content = await readFile(join(site, path));
    files.push([path, gzipSync(content).length]);
    return JSON.parse(content);
  });
  const groups = [];
  const found = await index.find(query);
  for (const { kind, title, hits } of found.groups) {
    const records = await Promise.all(hits.slice(0, shown).map(async (hit) => ({ ...(await index.record(hit.record)), terms: hit.terms })));
    groups.push({ kind, title, count: hits.length, records });
  }
  return { query, groups, isPart: found.isPart, files };
}

const answers = [];
for (const query of queries) answers.push(await answer(query));
process.stdout.write(JSON.stringify({ words: texts.map(words), answers }));
