// The Node side of the atlas: typesets batches of formulas with KaTeX and lays out graphs until its standard input ends,
// for whom it hears there or, where it is given a socket that listens and its folder, for all who connect to that.
// Each frame, in and out, is a 4-byte big-endian length and that many bytes of JSON, after which the HTML of formulas
// follows as it is; process.py is the other end.

import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";
import { Worker } from "node:worker_threads";

import { Heard, told } from "./mathml.mjs";
import { Seen } from "./visible.mjs";

// KaTeX's functions call each other so much that to compile them into each other takes longer than it ever saves.
setFlagsFromString("--no-turbo-inlining");

const [katexModule, elkModule, listening, folder] = process.argv.slice(2);
const { default: katex } = await import(pathToFileURL(katexModule));

// Standard output carries frames only.
console.log = console.info = console.debug = console.error;

const LONGEST_FORMULA_MS = 2000; // a macro can multiply its argument, which maxExpand does not count
const LARGEST_HTML = 8 * 1024 * 1024;
const LONGEST_LENGTH_EM = 20; // lengths.py refuses longer ones that are written out; a macro can put one together
const LARGEST_EM = 400; // some 300 rows of a matrix
// With `trust: false` KaTeX does not refuse \href and its kind: it shows their name in this colour.
const REFUSED_COLOUR = "#fe0e1d";

// A fresh object per formula: KaTeX writes \gdef into `macros`, and nothing may leak into the next formula.
const options = (displayMode, output = "htmlAndMathml") => ({
  displayMode,
  output,
  strict: "error",
  trust: false,
  throwOnError: true,
  errorColor: REFUSED_COLOUR,
  maxExpand: 1000,
  maxSize: LONGEST_LENGTH_EM,
  macros: {},
});

// The time limit of `vm` also ends ordinary code that the script calls. Each limit costs a thread, so a batch has one, and
// only where it is not kept each formula has its own.
const interruptible = new Script("runNext()");
const within = (work) => {
  globalThis.runNext = work;
  return interruptible.runInThisContext({ timeout: LONGEST_FORMULA_MS });
};
const isTooLong = (error) => error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";

const refusedCommand = (html) => {
  const shown = html.match(new RegExp(`mathcolor="${REFUSED_COLOUR}"[^>]*>(?:<[^>]*>)*(\\\\[A-Za-z]+)`));
  return shown === null ? null : shown[1];
};

// KaTeX cuts off long lengths, but no negative ones: they would move a formula out of its place on the page.
const reachesOut = (html) => {
  const shown = html.replace(/<annotation[^>]*>[^<]*<\/annotation>/g, "");
  const all = (pattern) => [...shown.matchAll(pattern)].map((found) => Number(found[1]));
  const back = all(/margin-(?:left|right):(-[\d.]+)em/g).reduce((sum, length) => sum - length, 0);
  const moved = all(/(?:voffset|height|depth)="(-?[\d.]+)em"/g);
  return back > 2 * LONGEST_LENGTH_EM
    || moved.some((length) => Math.abs(length) > 2 * LONGEST_LENGTH_EM)
    || all(/(-?[\d.]+)em/g).some((length) => Math.abs(length) > LARGEST_EM);
};

const failure = (error) => {
  if (error instanceof katex.ParseError) return { error: error.rawMessage, position: error.position };
  if (isTooLong(error)) return { error: `it takes longer than ${LONGEST_FORMULA_MS / 1000} seconds to typeset` };
  if (error instanceof RangeError) return { error: `it is nested too deeply or grows too large (${error.message})` };
  return { error: `KaTeX failed: ${error.message}` };
};

/** All that KaTeX makes of a formula, or why it is refused. */
const typesetWhole = (tex, display) => {
  const html = katex.renderToString(tex, options(display));
  if (html.length > LARGEST_HTML) return { error: `its HTML would take ${html.length} characters` };
  if (!html.includes(REFUSED_COLOUR)) return reachesOut(html) ? { error: "it reaches out of its place" } : { html };
  const command = refusedCommand(html);
  if (command === null) return { error: `the colour ${REFUSED_COLOUR} cannot be used` };
  const position = tex.search(new RegExp(`\\${command}(?![A-Za-z])`));
  return { error: `${command} is not allowed`, position: position < 0 ? null : position };
};

/** The halves of KaTeX's tree: what is read aloud, and what is seen. */
const halves = (tex, display, output) => {
  const tree = katex.__renderToDomTree(tex, options(display, output));
  const inner = tree.classes.includes("katex-display") ? tree.children[0] : tree;
  return output === "mathml" ? [inner] : inner.children;
};

/** Both halves as pages show them; `tex` is what KaTeX's annotation says. */
const written = ([mathml, visible], tex, hasMarks) => {
  const heard = new Heard(tex);
  const seen = new Seen(hasMarks);
  const html = `<span class="katex">${heard.write(mathml)}${seen.write(visible)}</span>`;
  return {
    html,
    isDoubtful: heard.isDoubtful || seen.isDoubtful || heard.most + seen.most > LARGEST_HTML,
    isUnmarked: seen.isUnmarked,
  };
};

/** A formula with marks, which are colours in a second TeX; null where the two do not show the same. */
const showMarked = (tex, display, coloured) => {
  const [mathml] = halves(tex, display, "mathml");
  let other, visible;
  try {
    [other, visible] = halves(coloured, display, "htmlAndMathml");
  } catch {
    return null; // the formula without them says what is wrong, if anything is
  }
  if (told(mathml) !== told(other)) return null;
  const shown = written([mathml, visible], tex, true);
  return shown.isUnmarked ? null : shown;
};

const showPlain = (tex, display) => written(halves(tex, display, "htmlAndMathml"), tex, false);

/** What pages show of a formula, or why it is refused, which the whole HTML decides wherever there is a doubt. */
const typesetShown = (tex, display, coloured) => {
  const shown = (coloured ? showMarked(tex, display, coloured) : null) ?? showPlain(tex, display);
  const isDoubtful = shown.isDoubtful || `${tex}${shown.html}`.includes(REFUSED_COLOUR);
  const whole = isDoubtful ? typesetWhole(tex, display) : {};
  const html = display ? `<span class="katex-display">${shown.html}</span>` : shown.html;
  return whole.error === undefined ? { html } : whole;
};

const typesetOne = ([tex, display, coloured], whole) => {
  try {
    return whole ? typesetWhole(tex, display) : typesetShown(tex, display, coloured);
  } catch (error) {
    return failure(error);
  }
};

const typesetAll = (formulas, whole) => {
  try {
    return within(() => formulas.map((one) => typesetOne(one, whole)));
  } catch (error) {
    if (!isTooLong(error)) throw error;
    return formulas.map((one) => {
      try {
        return within(() => typesetOne(one, whole));
      } catch (late) {
        return failure(late);
      }
    });
  }
};

// The layout engine is loaded with the first layout, in a thread: only that can be stopped when it takes too long or
// too much, without ending the process.
const LONGEST_LAYOUT_MS = 20_000;
const LAYOUT_LIMITS = { maxOldGenerationSizeMb: 512, stackSizeMb: 8 };
const startLayoutThread = () => new Worker(new URL("layout.mjs", import.meta.url), {
  workerData: { elk: elkModule },
  resourceLimits: LAYOUT_LIMITS,
  stdout: true, // and never into the frames
});
let layoutThread = null;

const layOutNext = async (graph) => {
  layoutThread ??= startLayoutThread();
  const thread = layoutThread;
  const answer = await new Promise((resolve) => {
    const timer = setTimeout(() => settle({ lost: `it takes longer than ${LONGEST_LAYOUT_MS / 1000} seconds` }), LONGEST_LAYOUT_MS);
    const settle = (result) => {
      clearTimeout(timer);
      thread.off("message", settle).off("error", fail);
      resolve(result);
    };
    const fail = ({ code, message }) => {
      const tooMuch = code === "ERR_WORKER_OUT_OF_MEMORY";
      settle({ lost: tooMuch ? `it needs more than ${LAYOUT_LIMITS.maxOldGenerationSizeMb} MB` : message });
    };
    thread.on("message", settle).on("error", fail);
    thread.postMessage(graph);
  });
  if (answer.lost === undefined) return answer;
  layoutThread = null;
  await thread.terminate();
  return { error: answer.lost };
};

// One after the other, whoever asks.
let laidOut = Promise.resolve();
const layOut = ({ graph }) => (laidOut = laidOut.catch(() => {}).then(() => layOutNext(graph)));

const answers = {
  version: () => ({ node: process.versions.node, katex: katex.version }),
  typeset: ({ formulas, whole }) => {
    const results = typesetAll(formulas, whole);
    const texts = results.flatMap(({ html }) => (html === undefined ? [] : [Buffer.from(html, "utf8")]));
    let at = 0;
    return { results: results.map((one) => (one.html === undefined ? one : { length: texts[at++].length })), texts };
  },
  layout: layOut,
};

// Written through the stream, as a thread makes its pipe one that can be full; waits until the frame is on its way.
const send = (output, { texts = [], ...message }) => {
  const body = Buffer.from(JSON.stringify(message), "utf8");
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  return new Promise((resolve) => output.write(Buffer.concat([head, body, ...texts]), resolve));
};

const serve = async (input, output) => {
  let pending = Buffer.alloc(0);
  for await (const chunk of input) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    while (pending.length >= 4 && pending.length >= 4 + pending.readUInt32BE(0)) {
      const end = 4 + pending.readUInt32BE(0);
      const request = JSON.parse(pending.toString("utf8", 4, end));
      pending = pending.subarray(end);
      await send(output, { id: request.id, ...(await answers[request.kind](request)) });
    }
  }
};

if (listening === undefined) {
  await serve(process.stdin, process.stdout);
  await layoutThread?.terminate();
} else {
  // At once, as the process that shares this one still imports what it needs, and its others will soon want layouts.
  layoutThread = startLayoutThread();
  // Who hangs up, or says what is no request, is served no more; the others are.
  const hear = (socket) => serve(socket, socket.on("error", () => {})).catch(() => socket.destroy());
  createServer(hear).listen({ fd: Number(listening) });
  const leave = () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit();
  };
  process.stdin.resume().on("close", leave);
  // Whoever ends all processes of a build at once leaves nobody else to see to the folder.
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) process.on(signal, leave);
}
