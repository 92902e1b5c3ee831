import {
  createContext,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useContext,
  useId,
  useState,
} from "react";
import { createShared, useShared } from "../lib/hooks.ts";
import { cx } from "../ui/cx.ts";

/** Space around the plot in pixels, for axis labels. */
type ChartEdges = { top: number; right: number; bottom: number; left: number };

/** The step at which all charts of a page show their cursor, or `null`. */
export const createCursor = () => createShared<number | null>(null);
export const CursorContext = createContext(createCursor());

export function useCursor() {
  const cursor = useContext(CursorContext);
  return [useShared(cursor), cursor.set] as const;
}

type ChartCursorProps = {
  label: string;
  /** Position of each step as a share of the plot's width, ascending. */
  places: readonly number[];
  edges: ChartEdges;
  textOf: (step: number) => string;
  tipOf: (step: number) => ReactNode;
  onSpan?: CursorAreaProps["onSpan"];
  hint?: string | undefined;
};

/** The cursor of one chart, with a tooltip. Keyboard focus shows the newest step. */
export function ChartCursor({ label, places, edges, textOf, tipOf, onSpan, hint }: ChartCursorProps) {
  const [step, setStep] = useState<number | null>(null);
  const last = places.length - 1;
  return (
    <CursorArea
      label={label}
      places={places}
      edges={edges}
      step={step}
      onStep={setStep}
      onSpan={onSpan}
      hint={hint}
      onReached={() => setStep(last)}
      valueText={last < 0 ? "" : textOf(Math.min(step ?? last, last))}
    >
      {(shown, place) => (
        <div
          aria-hidden="true"
          style={
            place > 0.5 ? { right: `calc(${(1 - place) * 100}% + 10px)` } : { left: `calc(${place * 100}% + 10px)` }
          }
          className="pointer-events-none absolute top-0 z-20 w-max max-w-64 rounded-md border border-line bg-raised px-2.5 py-1.5 text-[13px] shadow-lifted"
        >
          {tipOf(shown)}
        </div>
      )}
    </CursorArea>
  );
}

type CursorAreaProps = Pick<ChartCursorProps, "label" | "places" | "edges"> & {
  step: number | null;
  onStep: (step: number | null) => void;
  onReached?: () => void;
  valueText: string;
  /** Called with shares of the width when a range was dragged, or marked with Enter. */
  onSpan?: ((from: number, to: number) => void) | undefined;
  hint?: string | undefined;
  children: (step: number, place: number) => ReactNode;
};

/** Dragging less than this share of the width counts as a click. */
const minSpan = 0.015;

/**
 * Draws a line above a chart at the step that is nearest to the pointer or selected by arrow keys. Home and End move to
 * the ends, Escape leaves. Moving the line does not rerender the chart. If ranges can be selected, drag with the
 * pointer or mark both ends with Enter.
 */
export function CursorArea(props: CursorAreaProps) {
  const { label, places, edges, step, onStep, onReached, valueText, onSpan, hint, children } = props;
  const hintId = useId();
  const [span, setSpan] = useState<{ from: number; to: number } | null>(null);
  const last = places.length - 1;
  const shown = step === null ? null : Math.min(step, last);
  const place = shown === null ? 0 : (places[shown] ?? 0);

  function shareAt({ clientX, currentTarget }: PointerEvent) {
    const { left, width } = currentTarget.getBoundingClientRect();
    return width > 0 ? Math.min(1, Math.max(0, (clientX - left) / width)) : null;
  }
  function follow(event: PointerEvent) {
    const share = shareAt(event);
    if (share === null) return;
    onStep(nearest(places, share));
    if (span !== null && event.buttons > 0) setSpan({ ...span, to: share });
  }
  function press(event: PointerEvent) {
    follow(event);
    const share = shareAt(event);
    if (onSpan === undefined || share === null || event.button !== 0) return;
    setSpan({ from: share, to: share });
    // A range may be dragged beyond the chart's end.
    event.currentTarget.setPointerCapture?.(event.pointerId);
  }
  function finish(to: number) {
    if (span !== null && Math.abs(to - span.from) >= minSpan)
      onSpan?.(Math.min(span.from, to), Math.max(span.from, to));
    setSpan(null);
  }
  function leave() {
    onStep(null);
    setSpan(null);
  }
  function walk(event: KeyboardEvent) {
    const from = shown ?? last;
    if (event.key === "Escape") setSpan(null);
    if (event.key === "Enter" && onSpan !== undefined && last >= 0) {
      const at = places[from] ?? 0;
      if (span === null) setSpan({ from: at, to: at });
      else finish(at);
    }
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last, Escape: null }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = to === null ? null : Math.min(last, Math.max(0, to));
    onStep(next);
    if (next !== null && span !== null) setSpan({ ...span, to: places[next] ?? 0 });
  }
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-describedby={hint && hintId}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, last)}
      aria-valuenow={Math.max(0, shown ?? last)}
      aria-valuetext={valueText}
      onPointerMove={follow}
      onPointerDown={press}
      onPointerUp={(event) => finish(shareAt(event) ?? 0)}
      onPointerCancel={leave}
      onPointerLeave={leave}
      onFocus={({ currentTarget }) => currentTarget.matches(":focus-visible") && onReached?.()}
      onBlur={leave}
      onKeyDown={walk}
      style={{ inset: `${edges.top}px ${edges.right}px ${edges.bottom}px ${edges.left}px` }}
      className={cx("absolute touch-pan-y rounded-sm select-none", onSpan !== undefined && "cursor-crosshair")}
    >
      {hint !== undefined && (
        <span id={hintId} hidden>
          {hint}
        </span>
      )}
      {span !== null && (
        <span
          aria-hidden="true"
          data-span=""
          style={{ left: `${Math.min(span.from, span.to) * 100}%`, width: `${Math.abs(span.to - span.from) * 100}%` }}
          className="pointer-events-none absolute inset-y-0 min-w-0.5 border-x border-accent bg-accent/15"
        />
      )}
      {shown !== null && last >= 0 && (
        <>
          <span
            aria-hidden="true"
            style={{ left: `${place * 100}%` }}
            className="pointer-events-none absolute inset-y-0 w-px bg-faint"
          />
          {children(shown, place)}
        </>
      )}
    </div>
  );
}

function nearest(places: readonly number[], share: number): number {
  const next = places.findIndex((place) => place >= share);
  if (next === -1) return Math.max(0, places.length - 1);
  const before = Math.max(0, next - 1);
  return share - (places[before] ?? 0) < (places[next] ?? 0) - share ? before : next;
}
