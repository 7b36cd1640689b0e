/** A type as JSON knows it: nothing is read-only, and a field that may be undefined may be absent. */
export type InJson<T> = T extends readonly (infer Item)[]
  ? InJson<Item>[]
  : T extends object
    ? { -readonly [K in keyof T as undefined extends T[K] ? never : K]: InJson<T[K]> } & {
        -readonly [K in keyof T as undefined extends T[K] ? K : never]?: InJson<Exclude<T[K], undefined>>;
      }
    : T;

/** Whether each can be used as the other, with the same fields everywhere. */
export type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
