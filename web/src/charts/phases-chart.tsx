import type { LineCustomSvgLayerProps } from "@nivo/line";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import { useTranslation } from "react-i18next";
import { ChartFrame, type ChartProps, type ChartStep, middleOf } from "./chart-frame.tsx";
import { type Phase, phaseLooks, phases, sharesOf, stackPhases } from "./phases-bar.tsx";

export type PhasesPoint = ChartStep & { timings: Timings | undefined };

type Series = { id: Phase; data: { x: Date; y: number | null }[] };

export function PhasesChart({ points, ...frame }: ChartProps<PhasesPoint>) {
  const { t } = useTranslation();
  const stacks = points.map(({ timings }) => stackPhases(timings));
  const data: Series[] = phases.map((id, index) => ({
    id,
    data: points.map((point, step) => ({ x: middleOf(point, frame.stepSeconds), y: stacks[step]?.[index] ?? null })),
  }));
  return (
    <ChartFrame<Series>
      {...frame}
      steps={points}
      data={data}
      top={Math.max(0, ...stacks.map((stack) => stack?.at(-1) ?? 0))}
      layers={[Stack]}
      linesOf={(step) => {
        const timings = points[step]?.timings;
        const total = { id: "total", mark: <span className="size-2.5" />, label: t("monitor.phases.total") };
        if (timings === undefined) return [{ ...total, valueMs: null }];
        const shares = sharesOf(timings).map(([id, valueMs]) => ({
          id,
          mark: <span className={`size-2.5 rounded-[2px] ${phaseLooks[id].ground}`} />,
          label: t(`monitor.phases.${id}`),
          valueMs,
        }));
        // In stacking order.
        return [{ ...total, valueMs: timings.total }, ...shares.reverse()];
      }}
    />
  );
}

type Place = { x: number; y: number };

function Stack({ series, innerHeight }: LineCustomSvgLayerProps<Series>) {
  return phases.map((id, index) => {
    const own = series.find((each) => each.id === id)?.data ?? [];
    const below = index === 0 ? undefined : series.find((each) => each.id === phases[index - 1])?.data;
    const { fill, opacity } = phaseLooks[id];
    const d = runsOf(own.map(({ position }) => position)).map((run) => {
      const floor = run.map(({ x, at }) => ({ x, y: below?.[at]?.position.y ?? innerHeight }));
      // A single step would have no width.
      const [upper, lower] = run.length === 1 ? [widen(run), widen(floor)] : [run, floor];
      return `M${[...upper, ...lower.reverse()].map(({ x, y }) => `${x} ${y}`).join("L")}Z`;
    });
    return <path key={id} data-phase={id} d={d.join("")} fill={fill} fillOpacity={opacity} />;
  });
}

const widen = (places: readonly Place[]) =>
  places.flatMap(({ x, y }) => [
    { x: x - 1.5, y },
    { x: x + 1.5, y },
  ]);

function runsOf(places: readonly { x: number | null; y: number | null }[]): (Place & { at: number })[][] {
  const runs: (Place & { at: number })[][] = [];
  let isOpen = false;
  for (const [at, { x, y }] of places.entries()) {
    if (x === null || y === null) {
      isOpen = false;
      continue;
    }
    if (!isOpen) runs.push([]);
    isOpen = true;
    runs.at(-1)?.push({ x, y, at });
  }
  return runs;
}
