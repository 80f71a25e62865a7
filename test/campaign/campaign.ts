import { type DoorTask, runDoorProcess } from './door-process.ts';
import { findDoor } from './doors/find-door.ts';

const [task, ...others] = process.argv.slice(2);
if (task?.startsWith('{')) {
  // Written by `runDoor` of this program.
  const given = JSON.parse(task) as DoorTask;
  await runDoorProcess([await findDoor(given.door)], given);
} else {
  const { runCampaign } = await import('./run-campaign.ts');
  await runCampaign(task === undefined ? [] : [task, ...others]);
}
