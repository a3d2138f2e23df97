/* Finds records in the static index that atlas/render/search_index.py describes, and brings only the files it needs.
   It touches no page, so that tests and benchmarks run it without a browser. */

const GREEK = ("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau " +
  "upsilon phi chi psi omega").split(" ");
const SIGNS = new Map([
  ...GREEK.map((name, number) => [String.fromCharCode(0x3b1 + number), ` ${name} `]),
  ...Object.entries({ "√": "sqrt", "∑": "sum", "∏": "prod", "⊙": "odot", "∞": "infty", "ℓ": "ell" })
    .map(([sign, name]) => [sign, ` ${name} `]),
  ...Array.from({ length: 10 }, (_, digit) => [String.fromCharCode(0x2080 + digit), `_${digit}`]),
]);
const LOOKS = /\\(?:left|right|begin|end|quad|qquad|displaystyle|text|mathrm|operatorname|mathbf|mathcal|mathbb|boldsymbol|lfloor|rfloor|lceil|rceil|frac|aligned|cases)(?![A-Za-z])|\{(?:aligned|cases)\}/g;
const COMMAND = /\\(?:var(?=epsilon|theta|phi|pi|rho|sigma|kappa))?([A-Za-z]+)/g;
const WORD = /[\p{L}\p{N}]+(?:[._-]+[\p{L}\p{N}]+)*/gu;

/* Shares of a word's score: for one that goes on after what was asked, for one that differs in a letter, for one that has
   the parts of the compound that was asked. */
const LONGER = 0.6;
const NEAR = 0.4;
const PARTS = 0.7;
/* How many files of words the beginning of a word is looked up in. */
const FILES = 3;
const SHORTEST_TO_MEND = 4;

/** The words of a text as search_words.py reads it. */
export function words(text) {
  const signs = (one) => one.replace(/[^]/gu, (sign) => SIGNS.get(sign) ?? sign);
  const bare = text.replace(LOOKS, " ").replace(COMMAND, " $1 ").replace(/[{}]/g, "")
    .replace(/(\d)[,'\u2009](?=\d{3})/g, "$1");
  const plain = signs(signs(bare).normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase());
  return plain.replace(/\s*_\s*/g, "_").match(WORD) ?? [];
}

/** An index whose files `bring(path)` returns as parsed JSON; a path is relative to the site's root. */
export class Index {
  #bring;
  #files = new Map();

  constructor(bring) {
    this.#bring = bring;
  }

  /** The groups of records that have all words of a query, the best first; if none has all, of those that have some.
      Of the answer `groups` has these, each with `kind`, `title` and `hits`, of which each has the number of a `record`
      and the `terms` it was found by; `isPart` says that a word, or what begins so,
      is too common for all that have it to be there. */
  async find(query) {
    const root = await this.#root();
    const typed = [...new Set(words(query))];
    const telling = typed.filter((word) => !root.ignored.includes(word));
    const asked = telling.length ? telling : typed;
    const hits = await Promise.all(asked.map((word) => this.#hits(word)));
    const found = joined(hits, asked.length);
    const groups = [];
    let from = 0;
    for (const [kind, title, count] of root.kinds) {
      const end = from + count;
      const own = found.filter((hit) => from <= hit.record && hit.record < end);
      if (own.length) groups.push({ kind, title, hits: own });
      from = end;
    }
    groups.sort((one, other) => other.hits[0].score - one.hits[0].score);
    return { groups, isPart: hits.some((one) => one.isCommon) };
  }

  /** What is shown of a record: its `url` below the root, `title`, `where` and `summary`. */
  async record(number) {
    const { shown, together } = await this.#root();
    const [url, title, where, summary] = (await this.#file(shown[Math.floor(number / together)]))[number % together];
    return { url, title, where, summary };
  }

  #root() {
    return this.#once("search/index.json");
  }

  #file(name) {
    return this.#once(`search/${name}.json`);
  }

  #once(path) {
    if (!this.#files.has(path)) {
      const file = this.#bring(path);
      file.catch(() => this.#files.delete(path)); /* so that a later query tries again */
      this.#files.set(path, file);
    }
    return this.#files.get(path);
  }

  /** The records of one word of a query: scores by record, and whether others may have it too. */
  async #hits(word) {
    const whole = word.replaceAll("-", "");
    let found = await this.#begun(whole);
    const parts = word.split(/[._-]+/);
    if (parts.length > 1) {
      const apart = joined(await Promise.all(parts.map((part) => this.#begun(part))), parts.length, true);
      for (const hit of apart) keep(found.scores, hit.record, PARTS * hit.score / parts.length, hit.terms.join(" "));
    }
    if (!found.scores.size && whole.length >= SHORTEST_TO_MEND) found = await this.#mended(whole);
    return found;
  }

  /** Records that have a word, or one that begins so; a letter alone begins none. */
  async #begun(word) {
    const root = await this.#root();
    const first = fileOf(root.words, word);
    const goesOn = (file) => word.length > 1 && (root.words[file + 1] ?? "").startsWith(word);
    let last = first;
    while (last - first + 1 < FILES && goesOn(last)) last += 1;
    const found = { scores: new Map(), isCommon: goesOn(last) }; /* as further files are not brought for it */
    for (let number = Math.max(first, 0); number <= last; number += 1) {
      const file = await this.#file(root.files[number]);
      for (let at = begin(file.words, word); at < file.words.length && file.words[at].startsWith(word); at += 1) {
        const isWhole = file.words[at] === word;
        if (word.length < 2 && !isWhole) break;
        this.#take(found, file, at, isWhole ? 1 : LONGER * Math.max(0.3, word.length / file.words[at].length), root);
        found.isCommon ||= isWhole && file.known[at] > file.records[at].length;
      }
    }
    return found;
  }

  /** Records that have a word which differs in one letter. */
  async #mended(word) {
    const root = await this.#root();
    const found = { scores: new Map(), isCommon: false };
    const number = Math.max(fileOf(root.words, word.slice(0, 2)), 0);
    const end = Math.min(number + FILES, root.words.length);
    for (let one = number; one < end && root.words[one].slice(0, 2) <= word.slice(0, 2); one += 1) {
      const file = await this.#file(root.files[one]);
      file.words.forEach((other, at) => {
        if (isNear(word, other)) this.#take(found, file, at, NEAR, root);
      });
    }
    return found;
  }

  #take(found, file, at, share, root) {
    const total = root.kinds.reduce((sum, [, , count]) => sum + count, 1);
    const rarity = 2 - Math.log(1 + file.known[at]) / Math.log(1 + total);
    let record = 0;
    file.records[at].forEach((step, place) => {
      record += step;
      keep(found.scores, record, file.weights[at][place] * share * rarity, file.words[at]);
    });
  }
}

/** Records that all words have, the best first; unless `strict`, where there is none those that some have. */
function joined(hits, count, strict = false) {
  const sums = new Map();
  for (const { scores } of hits) {
    for (const [record, { score, term }] of scores) {
      const sum = sums.get(record) ?? { record, score: 0, terms: [], has: 0 };
      sum.score += score;
      sum.terms.push(term);
      sum.has += 1;
      sums.set(record, sum);
    }
  }
  /* A word too common to list all that have it excludes none. */
  const needed = hits.filter((one) => !one.isCommon);
  let found = [...sums.values()].filter(({ record }) => needed.every(({ scores }) => scores.has(record)));
  if (!found.length && !strict) {
    found = [...sums.values()];
    for (const hit of found) hit.score *= (hit.has / count) ** 2;
  }
  return found.sort((one, other) => other.score - one.score || one.record - other.record);
}

function keep(scores, record, score, term) {
  if (score > (scores.get(record)?.score ?? 0)) scores.set(record, { score, term });
}

/** The number of the file that a word is in, if any has it: the last whose first word is not after it. */
function fileOf(firsts, word) {
  return begin(firsts, word, true) - 1;
}

/** Where in sorted words those from `word` on begin, or those after it. */
function begin(sorted, word, after = false) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < word || (after && sorted[middle] === word)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether one letter put in, left out, changed, or two neighbours exchanged, make one word of the other. */
export function isNear(one, other) {
  if (Math.abs(one.length - other.length) > 1) return false;
  let from = 0;
  while (from < one.length && one[from] === other[from]) from += 1;
  const rest = (text, skipped) => text.slice(from + skipped);
  return rest(one, 1) === rest(other, 1) || rest(one, 1) === rest(other, 0) || rest(one, 0) === rest(other, 1) ||
    (one[from] === other[from + 1] && one[from + 1] === other[from] && rest(one, 2) === rest(other, 2));
}
