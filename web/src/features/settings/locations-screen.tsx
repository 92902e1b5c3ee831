import { useTranslation } from "react-i18next";
import { LostLocations, useLocationsQuery } from "../../app/locations.tsx";
import { usePolling } from "../../app/hooks.ts";
import { Loaded } from "../../app/screen.tsx";
import { type Column, DataTable } from "../../lists/data-table.tsx";
import { Card } from "../../ui/card.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/states.tsx";

export default function LocationsScreen() {
  const { t } = useTranslation();
  const query = useLocationsQuery(undefined, { pollingInterval: usePolling() });
  type Location = NonNullable<typeof query.data>["locations"][number] & { id: string };
  const columns: Column<Location>[] = [
    { head: t("settings.location"), className: "w-full font-medium break-words", cell: ({ name }) => name },
    { head: t("settings.runners"), numeric: true, cell: ({ runners }) => runners },
    { head: t("settings.monitors"), numeric: true, cell: ({ monitors }) => monitors },
  ];
  return (
    <div className="max-w-2xl">
      <PageHeader title={t("settings.locations")} description={t("settings.locationsText")} />
      <LostLocations className="mb-4" />
      <Loaded query={query} placeholder={<Skeleton className="h-32 w-full" />}>
        {({ locations }) => (
          <Card flush>
            <DataTable
              label={t("settings.locations")}
              columns={columns}
              items={locations.map((each) => ({ ...each, id: each.name }))}
            />
          </Card>
        )}
      </Loaded>
    </div>
  );
}
