import { Component, type ErrorInfo, type ReactNode } from "react";
import { Crash } from "./crash.tsx";

type Props = {
  children: ReactNode;
  /** When it changes, the children are rendered again. */
  resetKey: string;
};
/** The reset key under which an error was caught; empty until the render after the error sets it. */
type State = { failedKey: string | null };

/** Keeps the navigation in use where a screen fails or its chunk is gone. React has only classes for this. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failedKey: null };

  static getDerivedStateFromError(): State {
    return { failedKey: "" };
  }

  static getDerivedStateFromProps({ resetKey }: Props, { failedKey }: State): State | null {
    if (failedKey === "") return { failedKey: resetKey };
    return failedKey !== null && failedKey !== resetKey ? { failedKey: null } : null;
  }

  override componentDidCatch(error: Error, { componentStack }: ErrorInfo) {
    console.error(error, componentStack);
  }

  override render() {
    return this.state.failedKey === null ? this.props.children : <Crash />;
  }
}
