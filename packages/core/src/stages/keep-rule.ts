/** How much of the newest history a compaction leaves alone. Whole exchanges only; what the model has not answered always stays. */
export type KeepRule =
  /** The last `turns` turns where they cost at most `share` of the trigger, else the newest exchanges up to half of it. */
  | { readonly type: 'last-turns'; readonly turns: number; readonly share: number }
  | { readonly type: 'last-messages'; readonly messages: number }
  /** The newest part of the view, as a share of its tokens. */
  | { readonly type: 'last-share'; readonly share: number }
  /** As much as fits under the target. */
  | { readonly type: 'fill' };
