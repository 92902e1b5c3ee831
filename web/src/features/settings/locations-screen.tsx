import type { locationTokenAnswer } from "@sonde/proto/http/monitors/runners";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { AnswerOf } from "../../app/api.ts";
import { errorText } from "../../app/errors.ts";
import { usePolling, useSession } from "../../app/hooks.ts";
import { LostLocations, useLocationsQuery } from "../../app/locations.tsx";
import { Loaded } from "../../app/screen.tsx";
import { type Column, DataTable } from "../../lists/data-table.tsx";
import { toast } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { PlusIcon } from "../../ui/icons.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { AddLocationDialog, TokenDialog, useAddRunnerMutation } from "./add-location.tsx";
import { OpenTokens, RemoteRunners } from "./remote-runners.tsx";

type Made = AnswerOf<typeof locationTokenAnswer>;

const remotePollMs = 10_000;

export default function LocationsScreen() {
  const { t } = useTranslation();
  const { isAdmin } = useSession();
  const slowMs = usePolling();
  const { data } = useLocationsQuery();
  // Live events do not report runners.
  const isRemote = data?.locations.some(({ remote }) => remote !== undefined) ?? false;
  const query = useLocationsQuery(undefined, { pollingInterval: isRemote ? remotePollMs : slowMs });
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<{ location: string; token: Made } | null>(null);
  const [addRunner] = useAddRunnerMutation();
  type Location = NonNullable<typeof query.data>["locations"][number] & { id: string };
  async function add(location: string) {
    const { data: token, error } = await addRunner(location);
    if (token === undefined) toast("error", errorText(error, "addLocation"));
    else setMade({ location, token });
  }
  const columns: Column<Location>[] = [
    { head: t("settings.location"), className: "w-full font-medium break-words", cell: ({ name }) => name },
    { head: t("settings.runners"), numeric: true, cell: ({ runners }) => runners },
    { head: t("settings.monitors"), numeric: true, cell: ({ monitors }) => monitors },
  ];
  const detailOf = ({ name, remote }: Location) =>
    remote && (
      <div className="px-4 pb-2 md:px-5">
        <RemoteRunners location={name} runners={remote.runners} />
        {remote.openTokens > 0 && <OpenTokens location={name} count={remote.openTokens} />}
        {isAdmin && (
          <Button size="sm" variant="ghost" onClick={() => void add(name)}>
            <PlusIcon />
            {t("locations.addRunner")}
            <span className="sr-only">: {name}</span>
          </Button>
        )}
      </div>
    );
  const action = isAdmin && (
    <Button variant="primary" onClick={() => setAdding(true)}>
      <PlusIcon />
      {t("locations.addLocation")}
    </Button>
  );
  return (
    <div className="max-w-2xl">
      <PageHeader title={t("settings.locations")} description={t("settings.locationsText")} actions={action} />
      <LostLocations className="mb-4" />
      <Loaded query={query} placeholder={<Skeleton className="h-32 w-full" />}>
        {({ locations }) => (
          <Card flush>
            <DataTable
              label={t("settings.locations")}
              columns={columns}
              items={locations.map((each) => ({ ...each, id: each.name }))}
              detailOf={detailOf}
            />
          </Card>
        )}
      </Loaded>
      {isAdding && (
        <AddLocationDialog
          onClose={() => setAdding(false)}
          onCreated={(location, token) => {
            setAdding(false);
            setMade({ location, token });
          }}
        />
      )}
      {made !== null && <TokenDialog location={made.location} made={made.token} onClose={() => setMade(null)} />}
    </div>
  );
}
