export { SignInPage } from './page'
