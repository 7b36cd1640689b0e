/** Since when (epoch ms) every look has found that a node may go, by node name. Plain data. */
export type StableSince = Readonly<Record<string, number>>;

/** One more look: nodes that may go keep their time or begin it; those that may not lose it. */
export function extend(known: StableSince, mayGo: readonly string[], now: number): StableSince {
  return Object.fromEntries(mayGo.map((name) => [name, known[name] ?? now]));
}

/** A look that says no: the node's time begins anew. */
export function reset(known: StableSince, node: string): StableSince {
  return Object.fromEntries(Object.entries(known).filter(([name]) => name !== node));
}

/** Whether looks have agreed on the node for so long, ms. One look alone never has: it may show a moment that is over. */
export function isStable(agreed: StableSince, node: string, now: number, stabilizationMs: number): boolean {
  const since = agreed[node];
  return since !== undefined && since < now && now - since >= stabilizationMs;
}
