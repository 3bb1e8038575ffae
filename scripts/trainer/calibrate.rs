//! Calibration: one temperature and three biases, for English and for the other languages together. They are fitted on
//! posts outside the training set, so that of the posts with a given probability, that share is right.

use topicwatch::sentiment::weights::Calibration;
use topicwatch::sentiment::{Lang, detect, text};

use crate::Learned;
use crate::data::{Post, Use};
use crate::learn::{CLASSES, see, softmax};

/// One calibration for each language.
pub(crate) type Calibrations = [Calibration; Lang::ALL.len()];

/// The class shares for which the probabilities are right. The English sets differ much (15 to 32 % negative). These
/// shares are more even than any of them, so that the rare classes are found, but not quite even, so that the shares of
/// a day come out right (both measured on the selection posts). The other languages' sets are even.
pub(crate) const ENGLISH: [f64; CLASSES] = [0.29, 0.40, 0.31];
const OTHERS: [f64; CLASSES] = [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0];

/// Rounds of gradient descent, far more than needed.
const ROUNDS: usize = 3_000;

pub(crate) fn fit(learned: &Learned, posts: &[Post], by: Use) -> Calibrations {
    let (mut english, mut others) = (Vec::new(), Vec::new());
    for post in posts.iter().filter(|post| post.purpose == by) {
        let sums = learned.model.sums(&see(post, &learned.valences));
        let detected = detect(&text::tokenize(&post.text));
        let group = if detected.lang == Lang::English { &mut english } else { &mut others };
        // The file stores sums relative to neutral, which is the same to a softmax.
        group.push((sums, post.label));
    }
    let (english, others) = (descend(&english, ENGLISH), descend(&others, OTHERS));
    Lang::ALL.map(|lang| if lang == Lang::English { english } else { others })
}

fn descend(posts: &[([f32; CLASSES], usize)], shares: [f64; CLASSES]) -> Calibration {
    let mut counts = [0.0f64; CLASSES];
    posts.iter().for_each(|(_, label)| counts[*label] += 1.0);
    let total: f64 = counts.iter().sum();
    let weight: [f32; CLASSES] = std::array::from_fn(|class| (shares[class] * total / counts[class].max(1.0)) as f32);
    let mut fitted = Calibration { temperature: 1.0, bias: [0.0; CLASSES] };
    let rate = 0.5 / total.max(1.0) as f32;
    for _ in 0..ROUNDS {
        let (mut temperature, mut bias) = (0.0f32, [0.0f32; CLASSES]);
        for (sums, label) in posts {
            let p = softmax(std::array::from_fn(|class| sums[class] * fitted.temperature + fitted.bias[class]));
            for class in 0..CLASSES {
                let gradient = weight[*label] * (p[class] - f32::from(u8::from(class == *label)));
                temperature += gradient * sums[class];
                bias[class] += gradient;
            }
        }
        fitted.temperature -= rate * temperature;
        (0..CLASSES).for_each(|class| fitted.bias[class] -= rate * bias[class]);
    }
    eprintln!("calibrated by {total}: {fitted:?}");
    fitted
}
