import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { useIsAhead } from "../../../lib/hooks.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { ChevronRightIcon, RefreshIcon } from "../../../ui/icons.tsx";
import { Time } from "../../../ui/time.tsx";
import { type HeartbeatMonitor, usePingKeyQuery, useRenewPingUrlMutation } from "./api.ts";
import { Recipes } from "./guide.tsx";

type AddressProps = {
  monitor: { id: number; previousUrlUntil?: string | undefined };
  url: string;
  title: string;
  text: string;
  children: ReactNode;
};

/** For heartbeats and inbound monitors. */
export function AddressCard({ monitor: { id, previousUrlUntil }, url, title, text, children }: AddressProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [renew] = useRenewPingUrlMutation();
  const [isAsking, setAsking] = useState(false);
  const hasPrevious = useIsAhead(previousUrlUntil);
  return (
    <Card
      title={title}
      gap="gap-4"
      actions={
        mayChange && (
          <Button size="sm" onClick={() => setAsking(true)}>
            <RefreshIcon />
            {t("heartbeat.address.renew")}
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-1.5">
        <AddressLine text={url} canCopy={mayChange} />
        <p className="text-[13px] text-faint">{mayChange ? text : t("heartbeat.address.masked")}</p>
      </div>
      {hasPrevious && previousUrlUntil !== undefined && (
        <Alert kind="info">
          {t("heartbeat.address.previous")} <Time at={previousUrlUntil} />
        </Alert>
      )}
      {mayChange && children}
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t("heartbeat.address.renewTitle")}
        description={t("heartbeat.address.renewText")}
        confirmLabel={t("heartbeat.address.renew")}
        savingLabel={t("heartbeat.address.renewing")}
        onConfirm={async () => {
          const { error } = await renew(id);
          if (error !== undefined) throw new Error(errorText(error, "updateMonitor"));
        }}
      />
    </Card>
  );
}

export function HeartbeatAddress({ monitor, hasGuide }: { monitor: HeartbeatMonitor; hasGuide: boolean }) {
  const { t } = useTranslation();
  const { pingUrl, slug } = monitor;
  return (
    <AddressCard
      monitor={monitor}
      url={pingUrl}
      title={t("heartbeat.address.title")}
      text={t("heartbeat.address.text")}
    >
      {slug !== undefined && <BySlug slug={slug} pingUrl={pingUrl} />}
      {hasGuide && (
        <details className="group rounded-md border border-line">
          <summary className="flex min-h-10 list-none items-center gap-2 rounded-md px-3 py-1.5 font-medium [&::-webkit-details-marker]:hidden">
            <ChevronRightIcon className="size-4 text-muted transition-transform group-open:rotate-90" />
            {t("heartbeat.guide.title")}
          </summary>
          <div className="border-t border-line p-3">
            <Recipes monitor={monitor} />
          </div>
        </details>
      )}
    </AddressCard>
  );
}

function AddressLine({ text, canCopy, about }: { text: string; canCopy: boolean; about?: string }) {
  const { t } = useTranslation();
  return (
    <div className="flex items-center gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
      <code className="min-h-8 min-w-0 flex-1 content-center font-mono text-[13px] break-all">{text}</code>
      {canCopy && (
        <CopyButton text={text} label={t("heartbeat.address.copy")} {...(about !== undefined && { about })} />
      )}
    </div>
  );
}

function BySlug({ slug, pingUrl }: { slug: string; pingUrl: string }) {
  const { t } = useTranslation();
  const { data } = usePingKeyQuery();
  const key = data?.pingKey ?? null;
  if (key === null) return null;
  const about = t("heartbeat.address.bySlug");
  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-[13px] font-medium">{about}</p>
      <AddressLine text={pingUrl.replace(/[^/]+$/, `${key}/${slug}`)} canCopy about={about} />
    </div>
  );
}
