import { clsx } from 'clsx';
import type { ComponentPropsWithRef, ReactNode } from 'react';

const looks = {
  primary: 'bg-accent text-accent-ink hover:opacity-90',
  plain: 'border border-line bg-ground-raised text-ink hover:bg-ground-strong',
  ghost: 'text-ink-soft hover:bg-ground-strong hover:text-ink',
  danger: 'bg-bad-soft text-bad hover:opacity-90',
};

const base =
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-lg font-medium disabled:opacity-50 disabled:cursor-not-allowed';

interface ButtonProps extends ComponentPropsWithRef<'button'> {
  readonly look?: keyof typeof looks;
  readonly isSmall?: boolean;
}

export function Button({
  look = 'plain',
  isSmall = false,
  className,
  type = 'button',
  ...rest
}: ButtonProps) {
  const size = isSmall ? 'min-h-7 px-2 text-xs' : 'min-h-9 px-3 text-sm';
  return <button type={type} className={clsx(base, looks[look], size, className)} {...rest} />;
}

interface IconButtonProps extends Omit<ButtonProps, 'children'> {
  /** What it does: its name for screen readers, and what is shown beside the pointer. */
  readonly label: string;
  readonly children: ReactNode;
}

/** A button with a picture only. */
export function IconButton({ label, look = 'ghost', isSmall = false, className, ...rest }: IconButtonProps) {
  const size = isSmall ? 'size-7' : 'size-9';
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={clsx(base, looks[look], size, className)}
      {...rest}
    />
  );
}
