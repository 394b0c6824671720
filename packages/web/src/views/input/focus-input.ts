/** Id of the field that messages are written in; there is one on a page. */
export const inputId = 'message';

export function focusInput(): void {
  document.getElementById(inputId)?.focus();
}
