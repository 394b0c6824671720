let kept: File | undefined;

/** The recorded file that was opened last, for as long as the page is: whoever comes back to the inspector finds it there. */
export const recordedFile = {
  get: (): File | undefined => kept,
  keep(file: File): void {
    kept = file;
  },
};
