/** The name that no management has among the strategies. */
export const noStrategy = 'none';

/** What stands for a strategy in tables and sentences. */
export function labelOf(strategy: string): string {
  return strategy === noStrategy ? 'no management' : strategy;
}
