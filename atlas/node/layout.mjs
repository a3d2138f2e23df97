// The thread in which ELK lays out graphs: one message is one graph, and its answer the same graph with coordinates.

import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";

const Elk = createRequire(import.meta.url)(workerData.elk);
const elk = new Elk();

parentPort.on("message", async (graph) => {
  try {
    parentPort.postMessage({ graph: await elk.layout(graph) });
  } catch (error) {
    parentPort.postMessage({ error: String(error?.message ?? error) });
  }
});
