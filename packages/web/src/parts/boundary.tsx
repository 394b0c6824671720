import { Component } from 'react';
import type { ReactNode } from 'react';

interface BoundaryProps {
  /** What fails at one place is tried again at another. */
  readonly place: string;
  readonly fallback: ReactNode;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly place: string;
  readonly hasFailed: boolean;
}

/**
 * A part that cannot be drawn, because its code could not be loaded, say, takes nothing of the page with it. A class,
 * because React has no function for this.
 */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { place: this.props.place, hasFailed: false };

  static getDerivedStateFromError(): Partial<BoundaryState> {
    return { hasFailed: true };
  }

  static getDerivedStateFromProps({ place }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return place === state.place ? null : { place, hasFailed: false };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
