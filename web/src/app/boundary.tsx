import { Component, type ErrorInfo, type ReactNode } from "react";
import { Crash } from "./crash.tsx";

type BoundaryProps = { children: ReactNode; /** Another place: try again. */ place: string };
type BoundaryState = { brokenAt: string | null };

/** Keeps a broken screen, or a chunk that is gone, from taking the navigation along. React knows only classes for this. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { brokenAt: null };

  static getDerivedStateFromError(): Partial<BoundaryState> {
    return { brokenAt: "" };
  }

  static getDerivedStateFromProps({ place }: BoundaryProps, { brokenAt }: BoundaryState): BoundaryState | null {
    if (brokenAt === "") return { brokenAt: place };
    return brokenAt !== null && brokenAt !== place ? { brokenAt: null } : null;
  }

  override componentDidCatch(error: Error, { componentStack }: ErrorInfo) {
    console.error(error, componentStack);
  }

  override render() {
    return this.state.brokenAt === null ? this.props.children : <Crash />;
  }
}
