/** What one probe has lost. */
export interface ProbeLosses {
  readonly probe: string;
  readonly lost: number;
  /** Of these, while no node of the run was out, nor had been shortly before. */
  readonly whileNoneOut: number;
  /** When that was, the latest of several. */
  readonly spells: readonly LossSpell[];
}

/** A time in which a probe lost requests again and again. */
export interface LossSpell {
  /** Epoch ms of the first, and of the last so far, as they were noticed. */
  readonly from: number;
  readonly to: number;
  readonly lost: number;
  /** A node of the run was out, had been shortly before, or nobody could see whether one was. */
  readonly canBeOurs: boolean;
  /** Nodes of the run that were out, as far as they could be seen. */
  readonly nodes: readonly string[];
}
