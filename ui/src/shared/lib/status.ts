import type { ServerStatus } from '../api/types'
import { dictionary } from './i18n'

export const statusWords = dictionary({
  en: {
    starting: 'Starting',
    running: 'Running',
    restarting: 'Restarting',
    stopped: 'Stopped',
    crashed: 'Crashed',
  } as Record<ServerStatus, string>,
  ja: {
    starting: '起動中',
    running: '稼働中',
    restarting: '再起動中',
    stopped: '停止',
    crashed: '異常終了',
  },
})

/** The colour of a status; a status that will pass pulses. */
export function statusLook(status: ServerStatus): { tone: 'good' | 'warn' | 'bad'; pulse: boolean } {
  if (status === 'running') return { tone: 'good', pulse: false }
  if (status === 'starting' || status === 'restarting') return { tone: 'warn', pulse: true }
  return { tone: status === 'crashed' ? 'bad' : 'warn', pulse: false }
}
