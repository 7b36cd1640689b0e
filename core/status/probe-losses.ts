/** What one probe has lost. */
export interface ProbeLosses {
  readonly probe: string;
  readonly lost: number;
  /** Of these, those lost while no node of the run was out, nor had been shortly before. */
  readonly whileNoneOut: number;
  /** When they were lost; the latest spells if there were many. */
  readonly spells: readonly LossSpell[];
}

/** A period in which a probe lost requests again and again. */
export interface LossSpell {
  /** Epoch ms at which the first, and the last so far, was observed. */
  readonly from: number;
  readonly to: number;
  readonly lost: number;
  /** A node of the run was out, had been shortly before, or it was not possible to observe whether one was. */
  readonly canBeOurs: boolean;
  /** Nodes of the run that were out, as far as could be observed. */
  readonly nodes: readonly string[];
  /** How one of the requests failed; absent where that was not recorded. */
  readonly failure?: string;
}
