use jsonwebtoken::{decode, decode_header, jwk::JwkSet, Algorithm, DecodingKey, Validation};
use serde_json::Value;

fn main() {
    let path = std::env::args().nth(1).expect("a file");
    let cases: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("the cases")).expect("JSON");
    let keys: JwkSet = serde_json::from_value(cases["jwks"].clone()).expect("keys");
    let mut validation = Validation::new(Algorithm::ES256);
    validation.set_issuer(&[cases["issuer"].as_str().expect("an issuer")]);
    validation.set_audience(&[cases["audience"].as_str().expect("an audience")]);
    validation.validate_nbf = true;
    for token in cases["tokens"].as_array().expect("tokens") {
        let verdict = accepts(token.as_str().expect("a token"), &keys, &validation);
        println!("{}", if verdict { "accept" } else { "refuse" });
    }
}

fn accepts(token: &str, keys: &JwkSet, validation: &Validation) -> bool {
    let Ok(header) = decode_header(token) else { return false };
    let Some(key) = header.kid.and_then(|kid| keys.find(&kid).cloned()) else { return false };
    let Ok(key) = DecodingKey::from_jwk(&key) else { return false };
    decode::<Value>(token, &key, validation).is_ok()
}
