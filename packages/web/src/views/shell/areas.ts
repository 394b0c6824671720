/** Other places of the page, in this order. */
export const areas = [
  { href: '/inspector', label: 'Inspector' },
  { href: '/proxy', label: 'Proxy' },
  { href: '/settings', label: 'Settings' },
] as const;
