import { useSearchParams } from "react-router";
import { Create } from "./create.tsx";
import { Edit } from "./edit.tsx";
import { MaintenanceOverview } from "./overview.tsx";

/** Maintenance windows: the list; one of them (`window=7`); or the form that plans one (`plan=new`). */
export default function MaintenanceTab() {
  const [params] = useSearchParams();
  const id = params.get("window");
  if (params.get("plan") !== null) return <Create />;
  if (id !== null) return <Edit key={id} id={Number(id)} />;
  return <MaintenanceOverview />;
}
