export const maintenancePath = "/status/config?tab=maintenance";
/** The form that plans a window. */
export const planPath = `${maintenancePath}&plan=new`;
export const windowPath = (id: number) => `${maintenancePath}&window=${id}`;
