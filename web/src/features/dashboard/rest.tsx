import type { Dashboard } from "./live.ts";
import { AgentsCard } from "./agents-card.tsx";
import { AttentionCard } from "./attention-card.tsx";
import { CertificatesCard } from "./certificates-card.tsx";
import { EndedCard } from "./ended-card.tsx";
import { Figures } from "./figures.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { StatesCard } from "./state-strip.tsx";

/** Everything below what is wrong now: what needs attention, totals, what ended. Of a Sonde that watches nothing, what to do. */
export default function Rest({ dashboard, isEmpty }: { dashboard: Dashboard; isEmpty: boolean }) {
  if (isEmpty) {
    return (
      <>
        <Figures dashboard={dashboard} isEmpty />
        <FirstSteps />
      </>
    );
  }
  const { agents, certificates } = dashboard;
  const hasAgents = agents === null || agents.total > 0;
  const hasCertificates = certificates !== null && certificates.total > 0;
  const hasSide = hasAgents || hasCertificates;
  return (
    <>
      <div
        className={
          hasSide
            ? "grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_24rem]"
            : undefined
        }
      >
        <AttentionCard dashboard={dashboard} />
        {hasSide && (
          <div className="grid gap-4">
            {hasCertificates && <CertificatesCard certificates={certificates} />}
            {hasAgents && <AgentsCard dashboard={dashboard} />}
          </div>
        )}
      </div>
      <Figures dashboard={dashboard} isEmpty={false} />
      <StatesCard counts={dashboard.monitors} />
      <EndedCard dashboard={dashboard} />
    </>
  );
}
