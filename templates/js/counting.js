/* Counts a model at any sizes by walking its program, exactly: the same walk over the same expressions as the checks'.
   An expression is a list of terms [numerator, denominator, atom, power, …]; an atom is a symbol, or a list: a floor. */

export class SizeError extends Error {
  /* What is wrong, and the sizes that it comes from. */
  constructor(message, symbols = []) {
    super(message);
    this.symbols = symbols;
  }
}

const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a < 0n ? -a : a; };
const fraction = (top, below) => {
  const common = gcd(top, below) * (below < 0n ? -1n : 1n);
  return common === 1n ? [top, below] : [top / common, below / common];
};
const plus = ([a, b], [c, d]) => (b === d ? fraction(a + c, b) : fraction(a * d + c * b, b * d));
const floor = ([top, below]) => (top >= 0n ? top / below : -((-top + below - 1n) / below));

/* A term as numbers and closures would be faster; this is short, and a model takes some milliseconds. */
const rational = (expression, sizes) => {
  let total = [0n, 1n];
  for (const [top, below, ...powers] of expression) {
    let [over, under] = [BigInt(top), BigInt(below)];
    for (let at = 0; at < powers.length; at += 2) {
      const atom = powers[at], power = powers[at + 1];
      const base = Array.isArray(atom) ? floor(rational(atom, sizes)) : sizes.get(atom);
      if (base === undefined) throw new SizeError(`${atom} has no value`, [atom]);
      if (base === 0n && power < 0) throw new SizeError(`division by ${Array.isArray(atom) ? "a floor" : atom}, which is 0`, symbolsOf(expression));
      if (power > 0) over *= base ** BigInt(power);
      else under *= base ** BigInt(-power);
    }
    total = plus(total, [over, under]);
  }
  return fraction(...total);
};

const symbolsOf = (expression) => [...new Set(expression.flatMap(([, , ...powers]) =>
  powers.filter((_, at) => at % 2 === 0).flatMap((atom) => (Array.isArray(atom) ? symbolsOf(atom) : [atom]))))];

const told = (expression, sizes) => symbolsOf(expression).sort().map((name) => `${name} = ${sizes.get(name)}`).join(", ");

const whole = ([top, below], expression, sizes, largest) => {
  if (top > largest || -top > largest || below > largest) throw new SizeError("a size is too large to count", symbolsOf(expression));
  if (below !== 1n) throw new SizeError(`${top}/${below} is no whole number, for ${told(expression, sizes)}`, symbolsOf(expression));
  return top;
};

const nothing = () => ({
  total: 0n, active: 0n, embedding: 0n, buffers: 0n, token: 0n, input: 0n, window: 0n, constant: 0n,
  macs: [0n, 1n], steps: 0, stacks: new Map(), shapes: [], ended: [],
});
const OF_WEIGHTS = ["total", "active", "embedding", "buffers"];
const OF_STEPS = ["token", "input", "window", "constant"];

/* Adds what a part has: its weights so many times, and what its steps do so many times. */
const add = (sum, part, weights, times) => {
  for (const name of OF_WEIGHTS) sum[name] += part[name] * BigInt(weights);
  for (const name of OF_STEPS) sum[name] += part[name] * BigInt(times);
  if (part.macs === null || sum.macs === null) sum.macs = null;
  else sum.macs = plus(sum.macs, [part.macs[0] * BigInt(times), part.macs[1]]);
  sum.steps += part.steps * times;
  if (weights) {
    for (const [id, stack] of part.stacks) {
      const own = sum.stacks.get(id) ?? { layers: 0n, total: 0n };
      sum.stacks.set(id, { layers: own.layers + stack.layers * BigInt(weights), total: own.total + stack.total * BigInt(weights) });
    }
    sum.shapes.push(...part.shapes);
  }
};

class Walk {
  constructor(program, lists) {
    this.most = program.most;
    this.largest = BigInt(program.largest);
    this.lists = lists;
  }

  value(expression, sizes, where) {
    try {
      return whole(rational(expression, sizes), expression, sizes, this.largest);
    } catch (error) {
      if (error instanceof SizeError) error.message = `${where}: ${error.message}`;
      throw error;
    }
  }

  /* What is known where some sizes are expressions of what is known around; one that nothing binds yet is left open. */
  inner(sizes, expressions, where) {
    const found = new Map(sizes);
    for (const [name, expression] of expressions ?? []) {
      if (symbolsOf(expression).every((symbol) => sizes.has(symbol))) found.set(name, this.value(expression, sizes, `${where}: ${name}`));
      else found.delete(name);
    }
    return found;
  }

  block(block, around, shapes) {
    let here = this.inner(around, block.with, block.id);
    const sum = nothing(), repeated = block.layers !== undefined;
    let layers = 1;
    if (repeated) {
      const count = this.value(block.layers, around, `the layers of ${block.id}`);
      if (count < 1n || count > BigInt(this.most)) {
        throw new SizeError(`${block.id} has ${count.toLocaleString("en")} layers; there are 1 to ${this.most.toLocaleString("en")}`, symbolsOf(block.layers));
      }
      layers = Number(count);
    }
    const varies = (block.varies ?? []).filter((name) => this.lists.has(name));
    for (const name of varies) {
      const found = this.lists.get(name).length;
      if (found !== layers) throw new SizeError(`${name} has ${found} values, but ${block.id} has ${layers.toLocaleString("en")} layers`, [name]);
    }
    const uniform = !varies.length && !block.then;
    let first = null, ended = [];
    for (let layer = 0; layer < (uniform ? 1 : layers); layer += 1) {
      /* What stacks within ended with is that of the layer before. */
      for (const name of ended.splice(0)) here.delete(name);
      for (const name of varies) here.set(name, this.lists.get(name)[layer]);
      const one = nothing();
      for (const child of block.of) {
        const part = child.of ? this.block(child, here, shapes || block.shared) : this.node(child, here, shapes || block.shared);
        add(one, part, 1, 1);
        ended.push(...part.ended);
        if (one.steps > this.most) throw new SizeError(`the model has more than ${this.most.toLocaleString("en")} steps`);
      }
      first ??= one;
      if (block.shared && String(one.shapes) !== String(first.shapes)) {
        throw new SizeError(`${block.id} shares its weights, but its layers need them with different shapes`);
      }
      const times = uniform ? layers : 1;
      add(sum, one, block.shared ? Number(layer === 0) : times, times);
      if (sum.steps > this.most) throw new SizeError(`the model has more than ${this.most.toLocaleString("en")} steps`);
      here = this.inner(here, block.then, block.id);
    }
    for (const [name, called] of block.ends ?? []) {
      const found = here.get(name);
      if (!around.has(called)) {
        sum.ended.push(called);
        if (found !== undefined) around.set(called, found);
      }
      if (around.get(called) !== found) {
        throw new SizeError(`${name} is ${found} after the last layer of ${block.id}, but ${called} is ${around.get(called)}`, [name]);
      }
    }
    sum.stacks.set(block.id, { layers: repeated && !block.shared ? BigInt(layers) : 1n, total: sum.total });
    return sum;
  }

  node(node, around, shapes) {
    const sizes = this.inner(around, node.with, node.id);
    const found = nothing();
    found.steps = 1;
    for (const [name, expression, number] of node.settled ?? []) {
      const value = this.value(expression, sizes, node.id);
      if (value !== BigInt(number)) throw new SizeError(`${node.id} is called with ${name} = ${number}, but the size is ${value}`, symbolsOf(expression));
    }
    for (const weight of node.weights ?? []) this.weight(weight, sizes, node, found, shapes);
    for (const [lifetime, expression] of node.state ?? []) found[lifetime] += this.value(expression, sizes, node.id);
    found.macs = node.macs && rational(node.macs, sizes);
    return found;
  }

  weight(weight, sizes, node, found, shapes) {
    let count = 1n, active = 1n;
    const shape = weight.axes.map((axis) => {
      const length = this.value(axis, sizes, node.id);
      if (length < 1n) throw new SizeError(`${node.id}: an axis has the length ${length}`, symbolsOf(axis));
      return length;
    });
    shape.forEach((length, at) => {
      const part = weight.used?.[at] ? this.value(weight.used[at], sizes, node.id) : length;
      if (part > length) throw new SizeError(`${node.id}: one token would use ${part} of ${length}`, symbolsOf([...weight.axes[at], ...weight.used[at]]));
      count *= length;
      active *= part;
    });
    if (shapes) found.shapes.push(shape.join("x"));
    if (weight.buffer) found.buffers += count;
    else if (!weight.tied) {
      found.total += count;
      found.active += active;
      if (node.table) found.embedding += count;
    }
  }
}

/* The figures of a model; `sizes` has a BigInt, or a list of them, for every size symbol, those of inputs included. */
export const count = (program, sizes) => {
  const entries = Object.entries(sizes);
  const root = new Map(entries.filter(([, value]) => !Array.isArray(value)));
  const walk = new Walk(program, new Map(entries.filter(([, value]) => Array.isArray(value))));
  const sum = nothing();
  try {
    for (const block of program.blocks) add(sum, walk.block(block, root, false), 1, 1);
    if (sum.steps > walk.most) throw new SizeError(`the model has more than ${walk.most.toLocaleString("en")} steps`);
  } catch (error) {
    if (error instanceof SizeError) error.symbols = [...new Set(error.symbols.flatMap((name) => [name, ...(program.follows[name] ?? [])]))];
    throw error;
  }
  const { total, active, embedding, buffers, token, input, window, constant, macs, stacks } = sum;
  if (macs !== null && macs[1] !== 1n) throw new SizeError(`${macs[0]}/${macs[1]} multiply–accumulates are no whole number`);
  return { total, active, embedding, buffers, token, input, window, constant, macs: macs && macs[0], stacks };
};
